/** Reads the text of an answer as a model would: line by line, without the structured half. */
import assert from "node:assert/strict";
import type { Continuation } from "@rungs/evidence";
import { parseToolCall } from "../../testing/tool-call.ts";
import { Refused } from "./climber.ts";

/** The call after a label on a separate line, outside fences. */
export function findCall(text: string, label: string): Continuation | undefined {
  return findCalls(text, label)[0];
}

/** All calls after a label. */
export function findCalls(text: string, label: string): Continuation[] {
  return stripFences(text)
    .split("\n")
    .flatMap((line) => {
      const at = line.indexOf(`${label}: `);
      const call = at < 0 ? undefined : parseToolCall(line.slice(at + label.length + 2));
      return call ? [call] : [];
    });
}

/** Throws the error that the text describes. */
export function throwRefused(text: string): never {
  assert.match(text, /^[a-z_]+: /, "an error starts with its code");
  throw new Refused(text, findCalls(text, "try"));
}

/** The text between the fence lines of a window. */
export function readFenced(text: string): string {
  const [, fence] = /^----- begin (\S+) -----$/m.exec(text) ?? [];
  const begin = `----- begin ${fence} -----\n`;
  const start = text.indexOf(begin) + begin.length;
  return text.slice(start, text.indexOf(`\n----- end ${fence} -----`, start));
}

/** Our lines: text between fences belongs to the record. */
export function stripFences(text: string): string {
  return text.replace(/^----- begin (\S+) -----\n[\s\S]*?\n----- end \1 -----$/gm, "(text)");
}
