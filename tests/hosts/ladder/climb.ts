/** The whole ladder on one sample, as a model climbs it: every step follows a call from the previous answer. */
import assert from "node:assert/strict";
import type { Continuation } from "@rungs/evidence";
import { callsInStructured, callsInText } from "../../../testing/mcp/answers.ts";
import type { Climber, Window } from "../../../testing/mcp/climber.ts";
import { stripFences } from "../../../testing/mcp/read-text.ts";
import { createContentOnly } from "../../mcp-clients/content-only.ts";
import { createStructuredOnly } from "../../mcp-clients/structured-only.ts";
import type { Sample } from "./samples.ts";
import type { Halves, ToolResult } from "./seen.ts";

/** The steps, in order. */
export const RUNGS = ["search", "evidence", "window", "record", "blob", "export_link"] as const;
export type Rung = (typeof RUNGS)[number];

/** A model in a host: it calls tools, and sees the half of the last answer that the host shows. */
export interface Agent {
  readonly halves: Halves;
  callTool(request: { name: string; arguments: Readonly<Record<string, unknown>> }): Promise<ToolResult>;
}

/** Climbs, and yields each completed step; throws at the first failure. */
export async function* climb(agent: Agent, sample: Sample): AsyncGenerator<Rung> {
  const reader = createReader(agent);
  const [hit] = await reader.climber.search(sample.query);
  assert.ok(hit, "nothing was found");
  yield "search";
  const shown = hit.evidence.replace(/^.*? chars\): /, "").replaceAll(/[⟦⟧]|^…|…$/g, "");
  assert.ok(shown.includes(sample.found), `the evidence does not show the match: ${hit.evidence}`);
  assert.ok(foldSpace(sample.body).includes(shown), `the evidence is not the mail's text: ${hit.evidence}`);
  yield "evidence";
  await readToEnd(reader.climber, await reader.climber.read(hit.open), sample);
  yield "window";
  const { seen } = await reader.climber.fetch(hit.id);
  assert.ok(seen.includes(sample.subject), "the record has no subject");
  yield "record";
  await readFile(reader, sample);
  yield "blob";
  await exportAll(agent, sample);
  yield "export_link";
}

interface Reader {
  readonly climber: Climber;
  /** The calls that the last answer showed. */
  calls(): readonly Continuation[];
  /** The ids of the records that the last answer listed. */
  ids(): readonly string[];
  follow(call: Continuation): Promise<void>;
}

/** Reads the half that the host shows; the text, if it shows both. */
function createReader({ halves, callTool }: Agent): Reader {
  let last: ToolResult = { content: [] };
  const client = {
    async callTool(request: Parameters<Agent["callTool"]>[0]) {
      last = await callTool(request);
      return last;
    },
  } as unknown as Parameters<typeof createContentOnly>[0];
  return {
    climber: halves.text ? createContentOnly(client) : createStructuredOnly(client),
    calls: () =>
      halves.text ? callsInText(last.content[0]?.text ?? "") : callsInStructured(last.structuredContent),
    ids: () =>
      halves.text
        ? stripFences(last.content[0]?.text ?? "")
            .split("\n")
            .filter((line) => /^[\w-]+\/[\w-]+:/.test(line))
        : listIds(last.structuredContent ?? {}),
    async follow({ operation, args }) {
      await client.callTool({ name: operation, arguments: args });
    },
  };
}

/** Pages to the end of the field: the windows together are the mail's text. */
async function readToEnd(climber: Climber, first: Window, { body }: Sample): Promise<void> {
  const texts = [first.text];
  let window = first;
  for (let step = window.next; step; step = window.next) {
    window = await climber.read(step);
    texts.push(window.text);
  }
  assert.equal(texts.join(""), [...body].slice(first.start_chars).join(""));
}

/** From the fetched mail to its files, and through the first one. */
async function readFile({ climber, calls, ids, follow }: Reader, { file }: Sample): Promise<void> {
  await follow(requireCall(calls(), ({ operation }) => operation === "query_records"));
  for (const id of ids()) {
    const { seen } = await climber.fetch(id);
    if (seen.includes("rows.csv")) break;
  }
  const texts: string[] = [];
  let step: Continuation | undefined = requireCall(calls(), ({ operation }) => operation === "read_blob");
  while (step) {
    const { text, next } = await climber.blob(step);
    texts.push(text ?? "");
    step = next as Continuation | undefined;
  }
  assert.equal(texts.join(""), file);
}

/** Over HTTP a link that downloads every record whole; without a server, what the person can run instead. */
async function exportAll({ callTool }: Agent, { body }: Sample): Promise<void> {
  const { isError, content } = await callTool({ name: "export_link", arguments: {} });
  const text = content[0]?.text ?? "";
  if (isError) {
    assert.match(text, /^not_implemented: .*rungs export/);
    return;
  }
  const response = await fetch(text.split("\n")[0] ?? "");
  const lines = (await response.text()).trim().split("\n");
  assert.ok(
    lines.some((line) => JSON.parse(line).data?.body === body),
    "the export lacks the mail",
  );
}

function requireCall(
  calls: readonly Continuation[],
  isWanted: (call: Continuation) => boolean,
): Continuation {
  const call = calls.find(isWanted);
  assert.ok(call, `no such call is shown: ${calls.map(({ operation }) => operation).join(", ")}`);
  return call;
}

function listIds({ results = [] }: { results?: unknown }): string[] {
  return (results as { id: string }[]).map(({ id }) => id);
}

const foldSpace = (text: string) => text.replaceAll(/\s+/g, " ");
