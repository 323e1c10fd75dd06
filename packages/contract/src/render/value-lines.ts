/** A value of a record as lines for people: a list by its items, an object by its members. Never more than a bounded number. */

/** One line: a text, with the name of the member that it is the value of. */
export interface ValueLine {
  readonly name?: string | undefined;
  readonly text: string;
  /** How deep it is inside the value. */
  readonly depth: number;
}

/** The lines of a value; `left_out` counts the ones beyond the limit. */
export interface ValueLines {
  readonly lines: readonly ValueLine[];
  readonly left_out: number;
}

const LINES_MAX = 60;
const DEPTH_MAX = 4;

/** Lists a JSON text as lines; undefined if it is not a list or an object. */
export function listValueLines(json: string): ValueLines | undefined {
  const value = parseJson(json);
  if (value === null || typeof value !== "object") return undefined;
  const lines = [...walk(value, 0)];
  return { lines: lines.slice(0, LINES_MAX), left_out: Math.max(0, lines.length - LINES_MAX) };
}

function* walk(value: object, depth: number): Generator<ValueLine> {
  const isList = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    const name = isList ? undefined : key;
    if (isEmpty(member)) continue;
    if (!isObject(member) || depth >= DEPTH_MAX) {
      yield { name, text: writeScalar(member), depth };
      continue;
    }
    const short = writeShort(member);
    if (short !== undefined) {
      yield { name, text: short, depth };
      continue;
    }
    if (name !== undefined) yield { name, text: "", depth };
    yield* walk(member, depth + 1);
  }
}

/** A list of scalars, or an object with few of them, on one line. */
function writeShort(value: object): string | undefined {
  const members = Object.values(value).filter((member) => !isEmpty(member));
  if (members.some(isObject)) return undefined;
  const texts = members.map(writeScalar);
  const text = texts.join(Array.isArray(value) ? ", " : " · ");
  return text.length <= 120 && !text.includes("\n") ? text : undefined;
}

function isObject(value: unknown): value is object {
  return value !== null && typeof value === "object";
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (isObject(value) && Object.keys(value).length === 0);
}

function writeScalar(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
