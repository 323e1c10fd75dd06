/**
 * Questions from a run to the owner. The answer passes through the database, sealed, since another process waits for
 * it.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "@rungs/contract";
import type { SourceAnswer, SourceQuestion } from "../live-source.ts";
import type { RunRecorder } from "./record-run.ts";
import type { SyncContext } from "./run-sync.ts";
import { listRuns, type SyncQuestion } from "./sync-run.ts";

/** What the owner answers: values by the names of the fields, or that no answer will come. */
export type OwnerAnswer = Readonly<Record<string, string>> | "cancelled";

const KIND = "sync_answer";
const LOOK_MS = 300;

interface Asking {
  readonly context: SyncContext;
  readonly sync_id: string;
  readonly recorder: Pick<RunRecorder, "showQuestion">;
  readonly signal: AbortSignal;
}

/** An answer as it is stored. */
interface SentAnswer {
  readonly question_id: string;
  readonly answer: OwnerAnswer;
}

/** Shows a question in the log of the run, and waits until the owner answers or the time runs out. */
export async function askOwner(
  { context, sync_id, recorder, signal }: Asking,
  { message, fields, timeout_ms }: SourceQuestion,
): Promise<SourceAnswer> {
  const { store, owner_id, secrets, now } = context;
  const question_id = randomBytes(9).toString("base64url");
  const expires_ms = now() + timeout_ms;
  // An answer to an earlier question.
  await store.deleteState(owner_id, KIND, sync_id);
  await recorder.showQuestion({ question_id, message, fields, expires_ms });
  try {
    while (now() < expires_ms && !signal.aborted) {
      const sent = await store.takeState(owner_id, KIND, sync_id);
      if (sent) {
        // Only `answerSync` writes them.
        const opened = JSON.parse(await secrets.open(String(sent.value), sync_id)) as SentAnswer;
        if (opened.question_id === question_id)
          return opened.answer === "cancelled"
            ? { kind: "cancelled" }
            : { kind: "given", values: opened.answer };
      }
      await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await recorder.showQuestion(undefined);
  }
  return { kind: signal.aborted ? "cancelled" : "timeout" };
}

/** The pending question of a sync; throws `not_found` if there is none. */
export async function requireQuestion(context: SyncContext, sync_id: string): Promise<SyncQuestion> {
  const [run] = await listRuns(context, sync_id, 1);
  if (run?.state === "running" && run.question && run.question.expires_ms > context.now())
    return run.question;
  throw new ApiError("not_found", {
    param: "sync_id",
    message: `${sync_id} has no pending question.`,
    next: "rungs sync list shows what a sync waits for.",
  });
}

/** Answers the pending question of a sync; throws `invalid_request` if a value is missing or unexpected. */
export async function answerSync(context: SyncContext, sync_id: string, answer: OwnerAnswer): Promise<void> {
  const { question_id, fields, expires_ms } = await requireQuestion(context, sync_id);
  if (answer !== "cancelled") {
    const missing = fields.find(({ name, is_required }) => is_required && !answer[name]);
    const unknown = Object.keys(answer).find((name) => !fields.some((field) => field.name === name));
    const param = missing?.name ?? unknown;
    if (param !== undefined)
      throw new ApiError("invalid_request", {
        param,
        message: missing ? `The answer needs ${param}.` : `${param} is not expected.`,
        next: `Give ${fields.map(({ name }) => name).join(", ") || "no values"}.`,
      });
  }
  const value = await context.secrets.seal(JSON.stringify({ question_id, answer }), sync_id);
  await context.store.putState(context.owner_id, {
    kind: KIND,
    id: sync_id,
    value,
    expires_at_ms: expires_ms,
  });
}
