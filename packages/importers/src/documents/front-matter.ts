import { parse } from "yaml";

/** A note: the front matter between its first `---` lines, and the text after it. */
export interface Note {
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
  readonly body: string;
}

const FENCE = /^---[ \t]*\r?\n/;
const END_FENCE = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m;
const MAX_CHARS = 64 * 1024;
const MAX_DEPTH = 16;

/** Splits the front matter from a note; front matter that is not a YAML mapping stays in the text. */
export function splitNote(text: string): Note {
  const [opening] = FENCE.exec(text) ?? [];
  if (opening === undefined) return { body: text };
  const rest = text.slice(opening.length);
  const end = END_FENCE.exec(rest.slice(0, MAX_CHARS));
  const properties = end ? parseProperties(rest.slice(0, end.index)) : undefined;
  return end && properties ? { properties, body: rest.slice(end.index + end[0].length) } : { body: text };
}

function parseProperties(yaml: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = parse(yaml, { logLevel: "error" }) ?? {};
    if (typeof value !== "object" || Array.isArray(value)) return undefined;
    return toJson(value, 1) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** YAML allows more than JSON: infinities, and mappings that contain themselves. */
function toJson(value: unknown, depth: number): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) throw new Error("nests too deep");
  if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1));
  const members = Object.entries(value).filter(([name]) => name !== "__proto__");
  return Object.fromEntries(members.map(([name, member]) => [name, toJson(member, depth + 1)]));
}

/** The texts of a property that is a list, or a string of words with separators. */
export function listTexts(value: unknown, separator: RegExp): string[] {
  const parts = typeof value === "string" ? value.split(separator) : Array.isArray(value) ? value : [];
  return parts
    .filter((part) => typeof part === "string" || typeof part === "number")
    .map((part) => String(part).trim())
    .filter((part) => part !== "");
}
