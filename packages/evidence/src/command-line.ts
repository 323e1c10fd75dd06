/** Continuations as command lines of `rungs`, quoted for a POSIX shell. */
import type { Argument, Continuation } from "./continuation.ts";

type OperationName = Continuation["operation"];

interface Command {
  readonly name: string;
  readonly positionals: readonly string[];
}

const COMMANDS: Record<OperationName, Command> = {
  search: { name: "search", positionals: ["query", "q"] },
  fetch: { name: "fetch", positionals: ["id"] },
  read_record_field: { name: "read", positionals: ["id", "field_path"] },
  query_records: { name: "query", positionals: ["stream"] },
  aggregate: { name: "aggregate", positionals: ["stream"] },
  schema: { name: "schema", positionals: ["stream"] },
  read_blob: { name: "blob", positionals: ["blob_id"] },
};

const FLAGS: Readonly<Record<string, string>> = {
  connection_id: "connection",
  offset_chars: "offset",
  limit_chars: "limit",
  before_chars: "before",
  after_chars: "after",
};

const REPEATED = new Set(["filter"]);
const PLAIN = /^[A-Za-z0-9_./:@%+,-]+$/;
const NEEDS_ESCAPES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Writes a call as the command line that does the same. */
export function formatCommandLine({ operation, args }: Continuation): string {
  const { name, positionals } = COMMANDS[operation];
  const given = positionals.flatMap((positional) =>
    Object.hasOwn(args, positional) ? [String(args[positional])] : [],
  );
  const flags = Object.entries(joinRange(args)).flatMap(([flag, value]) =>
    positionals.includes(flag) ? [] : formatFlag(flag, value),
  );
  const words = given.map(quoteWord);
  // A word that starts with a dash would be read as a flag: such words go last, behind `--`.
  const line = given.some((word) => word.startsWith("-")) ? [...flags, "--", ...words] : [...words, ...flags];
  return ["rungs", name, ...line].join(" ");
}

// A byte range is two numbers in a tool call and one flag on the command line, its end included.
function joinRange({ offset_bytes, limit_bytes, ...rest }: Continuation["args"]): Continuation["args"] {
  if (offset_bytes === undefined && limit_bytes === undefined) return rest;
  const start = Number(offset_bytes ?? 0);
  const end = limit_bytes === undefined ? "" : start + Number(limit_bytes) - 1;
  return { ...rest, range: `${start}-${end}` };
}

function formatFlag(argument: string, value: Argument): string[] {
  const flag = `--${FLAGS[argument] ?? argument.replaceAll("_", "-")}`;
  if (value === false) return [];
  if (value === true) return [flag];
  const values = Array.isArray(value) && REPEATED.has(argument) ? value : [String(value)];
  return values.map((word) => `${flag}${word.startsWith("-") ? "=" : " "}${quoteWord(word)}`);
}

function quoteWord(word: string): string {
  if (PLAIN.test(word)) return word;
  if (!NEEDS_ESCAPES.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${word.replace(/['\\]|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeForShell)}'`;
}

// `$'…'` (POSIX.1-2024) keeps on one line what would break or hide it.
function escapeForShell(char: string): string {
  if (char === "'" || char === "\\") return `\\${char}`;
  const code = char.codePointAt(0)!;
  if (code < 0x80) return `\\${code.toString(8).padStart(3, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
