import { parseTimeMs } from "@rungs/contract";

/**
 * The kind of a value; `time` is a time in a form other than RFC 3339. The written kinds occur in CSV cells: a number
 * with a decimal comma, and a date whose first number is the day, the month, or either.
 */
export type ValueKind = JsonKind | TimeKind | WrittenKind;
type WrittenKind = "comma-number" | WrittenDate;
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
  if (COMMA_NUMBER.test(cell)) return "comma-number";
  if (isDayFirst(cell)) return isMonthFirst(cell) ? "day-or-month-first" : "day-first";
  return isMonthFirst(cell) ? "month-first" : classifyText(cell);
}

/** `1.234,56`: as most of Europe writes numbers. */
const COMMA_NUMBER = /^-?(?:\d{1,3}(?:[.\u00a0\u202f ']\d{3})*|\d{1,15}),\d{1,6}$/;

/** Whether a value is a number or a date in another form than JSON and RFC 3339 have. */
export function isWritten(kind: ValueKind): kind is WrittenKind {
  return (
    kind === "comma-number" || kind === "day-first" || kind === "month-first" || kind === "day-or-month-first"
  );
}

/** The format of a column's cells, if it is not that of JSON and RFC 3339. */
export type CellForm = "comma" | "day-first" | "month-first";

/** The form of a column of cells; undefined if its kinds do not agree on one, or need none. */
export function findCellForm(kinds: ReadonlySet<ValueKind>): CellForm | undefined {
  const only = (...allowed: readonly ValueKind[]) => [...kinds].every((kind) => allowed.includes(kind));
  if (kinds.has("comma-number")) return only("comma-number", "integer") ? "comma" : undefined;
  for (const form of ["day-first", "month-first"] as const) {
    if (kinds.has(form)) return only(form, "day-or-month-first") ? form : undefined;
  }
  return undefined;
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
export function readCell(
  cell: string,
  types: readonly string[],
  form?: CellForm | undefined,
): string | number | boolean {
  if (form === "comma" && (COMMA_NUMBER.test(cell) || INTEGER.test(cell)))
    return Number(cell.replaceAll(/[.\u00a0\u202f ']/g, "").replace(",", "."));
  if (form === "comma") return cell;
  if (form !== undefined) return readWrittenDate(cell, form) ?? cell;
  const kind = classifyCell(cell);
  if (types.includes("string") || kind === undefined) return cell;
  if (kind === "integer" && (types.includes("integer") || types.includes("number"))) return Number(cell);
  if (kind === "number" && types.includes("number")) return Number(cell);
  if (kind === "boolean" && types.includes("boolean")) return cell.toLowerCase() === "true";
  return cell;
}

/** Which number of a written date can be the day. */
type WrittenDate = "day-first" | "month-first" | "day-or-month-first";

const WRITTEN = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;

/** Whether a text is a date with the day first. */
function isDayFirst(text: string): boolean {
  return readWrittenDate(text, "day-first") !== undefined;
}

/** Whether a text is a date with the month first; never with dots, since nobody writes that. */
function isMonthFirst(text: string): boolean {
  return readWrittenDate(text, "month-first") !== undefined;
}

/** The date in RFC 3339; undefined if it is not one. */
function readWrittenDate(text: string, form: "day-first" | "month-first"): string | undefined {
  const [, first = "", sign, second = "", year] = WRITTEN.exec(text) ?? [];
  if (year === undefined || (sign === "." && form === "month-first")) return undefined;
  const [day, month] = form === "day-first" ? [first, second] : [second, first];
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return parseTimeMs(date) === undefined ? undefined : date;
}
