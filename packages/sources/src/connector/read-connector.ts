/** One run of a connector: START, its messages, DONE. */
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { ApiError, type ConnectorStream, isTooDeep, splitLines } from "@rungs/contract";
import { foldToLine, sliceChars } from "@rungs/evidence";
import type { SourceChange, SourceTask } from "../live-source.ts";
import { openBlobIntake } from "./blob-intake.ts";
import { type Coverage, createCoverage } from "./coverage.ts";
import { chooseStreams, listBindings, readConnectorManifest, requireRunnable } from "./installed.ts";
import { answerInteraction } from "./interaction.ts";
import type { ConnectorLimits } from "./limits.ts";
import {
  type ConnectorMessage,
  guardLines,
  type MessageOf,
  parseRecord,
  refuse,
  requireMessage,
} from "./messages.ts";
import { requireConnectorSettings } from "./settings.ts";
import { type ConnectorProcess, startConnector } from "./start-process.ts";

const NOTE_CHARS = 300;

/** Runs a connector. Its checkpoints are reported last, and only those of a run that proves them. */
export async function* readConnector(
  task: SourceTask,
  limits: ConnectorLimits,
): AsyncGenerator<SourceChange> {
  const settings = requireConnectorSettings(task.settings);
  const manifest = readConnectorManifest(settings);
  requireRunnable(manifest, settings);
  const streams = chooseStreams(manifest, settings);
  mkdirSync(task.work_folder, { recursive: true, mode: 0o700 });
  const intake = await openBlobIntake(task.putBlob, limits.blob_bytes);
  const secret = Object.fromEntries(
    (settings.secret_variables ?? []).map((name) => [name, task.secret ?? ""]),
  );
  const process = startConnector({
    command: settings.command,
    variables: { ...settings.variables, ...secret, PDPP_RS_URL: intake.url, PDPP_OWNER_TOKEN: intake.token },
    folder: task.work_folder,
    limits,
    signal: task.signal,
  });
  try {
    process.send(createStart(task, streams, listBindings(manifest)));
    const run = new ConnectorRun({ task, process, streams, limits });
    yield* run.read();
    if (!task.signal.aborted) yield* run.finish();
  } finally {
    await process.end();
    await intake.close();
  }
}

function createStart(task: SourceTask, streams: readonly ConnectorStream[], bindings: object): object {
  const known = new Set(streams.map(({ name }) => name));
  const state = Object.fromEntries(
    task.cursors.flatMap(({ collection, cursor }) => (known.has(collection) ? [[collection, cursor]] : [])),
  );
  const isFirst = Object.keys(state).length === 0;
  return {
    type: "START",
    run_id: `run_${randomUUID()}`,
    collection_mode: isFirst ? "full_refresh" : "incremental",
    scope: { streams: streams.map(({ name }) => ({ name })) },
    state: isFirst ? null : state,
    bindings,
  };
}

interface RunParts {
  readonly task: SourceTask;
  readonly process: ConnectorProcess;
  readonly streams: readonly ConnectorStream[];
  readonly limits: ConnectorLimits;
}

/** The state of a run so far. */
class ConnectorRun {
  readonly #parts: RunParts;
  readonly #names: ReadonlySet<string>;
  readonly #coverage: Coverage;
  /** The last checkpoint of each stream; stored when the run has ended well. */
  readonly #states = new Map<string, unknown>();
  #records = 0;
  #done: MessageOf<"DONE"> | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#names = new Set(parts.streams.map(({ name }) => name));
    this.#coverage = createCoverage(parts.streams, parts.limits.keys);
  }

  /** Reports the records as they come. */
  async *read(): AsyncGenerator<SourceChange> {
    const { process, limits, task } = this.#parts;
    const output = guardLines(process.output, limits.line_bytes);
    for await (const line of splitLines(output, { max_bytes: limits.line_bytes })) {
      const failure = process.failure();
      if (failure) throw failure;
      if (task.signal.aborted) return;
      process.touch();
      if (line.bytes?.length === 0) continue;
      if (this.#done) throw refuse("The connector went on after it said that it was done.");
      const message = requireMessage(line);
      if (message.type === "RECORD") yield this.#takeRecord(message);
      else await this.#take(message);
    }
  }

  /** Reports the checkpoints to store, once the connector has ended; throws when it failed. */
  async *finish(): AsyncGenerator<SourceChange> {
    const { process } = this.#parts;
    process.close();
    const status = await process.wait();
    const failure = process.failure();
    if (failure) throw failure;
    const done = this.#done;
    if (!done)
      throw refuse(`The connector ended in the middle${status === undefined ? "" : ` (status ${status})`}.`);
    if (done.records_emitted !== this.#records)
      throw refuse(`The connector counted ${done.records_emitted} records and sent ${this.#records}.`);
    if ((status === 0) !== (done.status === "succeeded"))
      throw refuse("The connector's exit status contradicts its DONE message.");
    const isPartial = done.error?.code === "stream_collection_failed" && this.#coverage.hasFailedStream();
    if (done.status === "succeeded" || (done.status === "failed" && isPartial))
      yield* this.#listCheckpoints();
    if (done.status !== "succeeded") throw describeFailure(done.status, done.error);
  }

  #takeRecord(message: MessageOf<"RECORD">): SourceChange {
    this.#records += 1;
    if (this.#records > this.#parts.limits.records) throw refuse("The connector sends records without end.");
    const { stream } = message;
    if (!this.#names.has(stream)) return drop("A record is of a stream that the run does not read.");
    const record = isTooDeep(message.data) ? undefined : parseRecord(message);
    return record ? { kind: "record", record } : drop(`A record of ${stream} has no valid envelope.`);
  }

  async #take(message: Exclude<ConnectorMessage, { type: "RECORD" }>): Promise<void> {
    const { task, process, limits } = this.#parts;
    switch (message.type) {
      case "STATE":
        return this.#takeState(message);
      case "PROGRESS": {
        const { stream = "", count = 0, total = 0 } = message;
        const collection = this.#names.has(stream) ? stream : "connector";
        return task.report({ collection, done: count, total, message: shorten(message.message) });
      }
      case "SKIP_RESULT": {
        this.#coverage.skip(message);
        const { stream = "Something", reason = "no reason given", message: why = "" } = message;
        return task.note(shorten(`${stream} was skipped (${reason}). ${why}`));
      }
      case "DETAIL_COVERAGE":
        return this.#coverage.cover(message);
      case "DETAIL_GAP":
        return this.#coverage.leaveGap(message);
      case "INTERACTION":
        // The owner may take longer than a connector may be silent.
        process.touch("pause");
        process.send(await answerInteraction(message, task, limits));
        return process.touch();
      case "DONE":
        this.#done = message;
        return process.close();
    }
  }

  #takeState({ stream, cursor }: MessageOf<"STATE">): void {
    if (!this.#names.has(stream))
      throw refuse("The connector stores the state of a stream that the run does not read.");
    if (JSON.stringify(cursor).length > this.#parts.limits.state_chars)
      throw refuse("The connector stores a state that is too large.");
    this.#states.set(stream, cursor);
  }

  #listCheckpoints(): SourceChange[] {
    const unproven = this.#coverage.listUnproven();
    return [...this.#states].flatMap(([collection, cursor]): SourceChange[] =>
      unproven.has(collection) ? [] : [{ kind: "cursor", collection, cursor }],
    );
  }
}

/** Actions for the owner to take at the source. */
const OWNERS_TURN = new Set(["refresh_credentials", "manual_action_required"]);

function describeFailure(status: "failed" | "cancelled", error: MessageOf<"DONE">["error"]): ApiError {
  if (status === "cancelled" || !error)
    return refuse(
      status === "cancelled"
        ? "The connector cancelled its run."
        : "The connector failed and does not say why.",
    );
  const { recovery_hint: hint, retryable } = error;
  const action = typeof hint === "string" ? hint : hint?.action;
  const code = OWNERS_TURN.has(action ?? "")
    ? "source_refused"
    : retryable
      ? "source_unreachable"
      : "source_broken";
  return new ApiError(code, {
    message: `The connector failed: ${shorten(error.message)}`,
    next: "Fix what it names, if you can; stderr.log in its folder may say more. What was stored before stays, and the next run retries.",
  });
}

function drop(reason: string): SourceChange {
  return { kind: "drop", place: "connector", reason };
}

function shorten(text: string): string {
  return sliceChars(foldToLine(text), 0, NOTE_CHARS).trim();
}
