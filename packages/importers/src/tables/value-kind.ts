import { parseTimeMs } from "@rungs/contract";

/** The kind of a value; `time` is a time in another form than RFC 3339. */
export type ValueKind = JsonKind | TimeKind;
type JsonKind = "integer" | "number" | "boolean" | "string" | "object" | "array";
type TimeKind = "date-time" | "date" | "time";

const INTEGER = /^-?(?:0|[1-9]\d{0,14})$/;
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?$/;
const BOOLEAN = /^(?:true|false)$/i;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The kind of a JSON value; undefined for null. */
export function classifyJson(value: unknown): ValueKind | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return classifyText(value);
  return Array.isArray(value) ? "array" : "object";
}

/** The kind of a CSV cell; undefined for an empty one. A number with leading zeros or many digits is text: a code or an account. */
export function classifyCell(cell: string): ValueKind | undefined {
  if (cell === "") return undefined;
  if (INTEGER.test(cell)) return "integer";
  if (NUMBER.test(cell)) return "number";
  if (BOOLEAN.test(cell)) return "boolean";
  return classifyText(cell);
}

/** Whether values of this kind are times. */
export function isTime(kind: ValueKind): kind is TimeKind {
  return kind === "date-time" || kind === "date" || kind === "time";
}

function classifyText(text: string): "string" | TimeKind {
  if (parseTimeMs(text) === undefined) return "string";
  if (DATE.test(text)) return "date";
  return DATE_TIME.test(text) ? "date-time" : "time";
}

/** Parses a cell as one of the declared types of its field; the text itself if it is none of them. */
export function readCell(cell: string, types: readonly string[]): string | number | boolean {
  const kind = classifyCell(cell);
  if (types.includes("string") || kind === undefined) return cell;
  if (kind === "integer" && (types.includes("integer") || types.includes("number"))) return Number(cell);
  if (kind === "number" && types.includes("number")) return Number(cell);
  if (kind === "boolean" && types.includes("boolean")) return cell.toLowerCase() === "true";
  return cell;
}
