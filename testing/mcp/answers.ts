/** Splits an answer into its text and its structured content, with their sizes. */
import assert from "node:assert/strict";
import { type Continuation, continuationSchema } from "@rungs/evidence";
import { parseToolCall } from "../tool-call.ts";
import { stripFences } from "./read-text.ts";
import type { McpClient } from "./sdk.ts";

export interface Answer {
  readonly text: string;
  readonly structured: Record<string, unknown>;
  readonly meta: Record<string, unknown>;
  readonly bytes: { readonly text: number; readonly structured: number };
}

async function callTool(
  client: McpClient,
  { operation, args }: { operation: string; args: Record<string, unknown> },
) {
  const { _meta = {}, ...result } = await client.callTool({ name: operation, arguments: args });
  const [block] = result.content;
  return { ...result, _meta, text: block?.type === "text" ? block.text : "" };
}

/** Calls a tool that must succeed. */
export async function ask(client: McpClient, { operation, args }: Continuation): Promise<Answer> {
  const { content, structuredContent, isError, _meta, text } = await callTool(client, { operation, args });
  assert.ok(!isError, `${operation} ${JSON.stringify(args)}: ${text}`);
  const others = content.slice(1).map(({ type }) => type);
  assert.ok(
    others.every((type) => type === "image" || type === "resource_link"),
    others.join(),
  );
  const structured = structuredContent as Record<string, unknown>;
  const bytes = { text: Buffer.byteLength(text), structured: Buffer.byteLength(JSON.stringify(structured)) };
  return { text, structured, meta: _meta, bytes };
}

/** Calls a tool that must fail; returns the text and the structured error. */
export async function askRefused(
  client: McpClient,
  { operation, args }: { operation: string; args: Record<string, unknown> },
) {
  const { content, structuredContent, isError, _meta, text } = await callTool(client, { operation, args });
  assert.equal(isError, true, `${operation} ${JSON.stringify(args)} was answered`);
  assert.equal(structuredContent, undefined);
  assert.deepEqual(
    content.map(({ type }) => type),
    ["text"],
  );
  return { text, error: errorOf(_meta) };
}

/** Every call in the text, outside record text. */
export function callsInText(text: string): Continuation[] {
  return stripFences(text)
    .split("\n")
    .flatMap((line) => parseToolCall(/(?:^|: )([a-z_]+\(.*\))$/.exec(line)?.[1] ?? "") ?? []);
}

/** Every call anywhere in `structuredContent`, except in record data. */
export function callsInStructured(value: unknown): Continuation[] {
  if (value === null || typeof value !== "object") return [];
  const call = Array.isArray(value) ? undefined : continuationSchema.safeParse(value).data;
  if (call) return [call];
  const isRecord = "object" in value && value.object === "record";
  return Object.entries(value).flatMap(([name, inner]) =>
    isRecord && name === "data" ? [] : callsInStructured(inner),
  );
}

/** A call as a key. */
export function keyOf({ operation, args }: Continuation): string {
  return JSON.stringify([operation, Object.entries(args).sort()]);
}

/**
 * Asserts the budgets of a default answer. An `id`, or a cursor that contains one, is never cut, so its line may be
 * longer.
 */
export function assertWithinBudget({ text, bytes }: Answer, what: string, id = ""): void {
  assert.ok(bytes.structured <= 11_000, `${what}: structuredContent has ${bytes.structured} bytes`);
  assert.ok(
    bytes.structured + bytes.text <= 18_000,
    `${what}: ${bytes.structured + bytes.text} bytes together`,
  );
  const longest = (Buffer.byteLength(id) * 4) / 3 + 500;
  for (const line of stripFences(text).split("\n")) {
    // A line of a file in read_blob's output.
    if (line.startsWith("| ")) continue;
    assert.ok(
      line.length < Math.max(2_000, longest),
      `${what}: a line of ours has ${line.length} characters`,
    );
  }
}

/** The URIs that hosts find in an answer's `_meta`. */
export interface Links {
  readonly records: readonly { readonly id: string; readonly uri: string }[];
  readonly field_windows: readonly { readonly id: string; readonly uri: string }[];
}

/** Reads the URIs of an answer. */
export function linksOf(meta: Record<string, unknown> | undefined): Links {
  assert.ok(meta);
  return meta["dev.pdpp/resources"] as Links;
}

/** The structured form of an error. */
export function errorOf(meta: Record<string, unknown> | undefined): { code: string; message: string } {
  assert.ok(meta);
  return meta["dev.pdpp/error"] as { code: string; message: string };
}
