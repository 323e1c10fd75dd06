/** Continuations as command lines of `rungs`, quoted for a POSIX shell. */
import type { Argument, Continuation } from "@rungs/evidence";
import { FLAGS, formatFlag, READ_COMMANDS } from "../command/flags.ts";

/** Arguments of tools whose parameter has another name. */
const PARAMETERS: Readonly<Record<string, string>> = { query: "q" };

const PLAIN = /^[A-Za-z0-9_./:@%+,-]+$/;
const NEEDS_ESCAPES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Writes a continuation as the command line that makes the same call. */
export function formatCommandLine({ operation, args }: Continuation): string {
  const { command, operands } = findWords(operation);
  const named = new Map(
    Object.entries(joinRange(args)).map(([name, value]) => [PARAMETERS[name] ?? name, value]),
  );
  const given = Object.keys(operands).flatMap((name) => (named.has(name) ? [String(named.get(name))] : []));
  const flags = [...named].flatMap(([name, value]) => (name in operands ? [] : formatOption(name, value)));
  const words = given.map(quoteWord);
  // A word that starts with a dash would parse as a flag: such words go last, after `--`.
  const line = given.some((word) => word.startsWith("-")) ? [...flags, "--", ...words] : [...words, ...flags];
  return ["rungs", command, ...line].join(" ");
}

/** A newer server may name an operation that this version does not know. */
function findWords(operation: string): { readonly command: string; readonly operands: object } {
  const words = Object.entries(READ_COMMANDS).find(([name]) => name === operation)?.[1];
  return words ?? { command: operation.replaceAll("_", "-"), operands: {} };
}

// A byte range is two numbers in a tool call and one flag on the command line, its end included.
function joinRange({ offset_bytes, limit_bytes, ...rest }: Continuation["args"]): Continuation["args"] {
  if (offset_bytes === undefined && limit_bytes === undefined) return rest;
  const start = Number(offset_bytes ?? 0);
  const end = limit_bytes === undefined ? "" : start + Number(limit_bytes) - 1;
  return { ...rest, range: `${start}-${end}` };
}

function formatOption(parameter: string, value: Argument): string[] {
  const flag = `--${formatFlag(parameter)}`;
  const values = Array.isArray(value) && FLAGS[parameter]?.repeated ? value : [String(value)];
  return values.map((word) => `${flag}${word.startsWith("-") ? "=" : " "}${quoteWord(word)}`);
}

/** Quotes a word for a POSIX shell, if it needs that. */
export function quoteWord(word: string): string {
  if (PLAIN.test(word)) return word;
  if (!NEEDS_ESCAPES.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${word.replace(/['\\]|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeForShell)}'`;
}

// `$'…'` (POSIX.1-2024) escapes characters that would break or hide the line.
function escapeForShell(char: string): string {
  if (char === "'" || char === "\\") return `\\${char}`;
  const code = char.codePointAt(0)!;
  if (code < 0x80) return `\\${code.toString(8).padStart(3, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
