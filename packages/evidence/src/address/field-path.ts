import { CodedError } from "../coded-error.ts";

/** A path into a record's data: `payload.parts[2].text`, with other names quoted as `["a.b"]` (R26). */
export type FieldPath = readonly (string | number)[];

/** The longest path that parses. */
export const MAX_PATH_CHARS = 512;
const PLAIN_NAME = /^[^.[\]"\s\p{Cc}]+/u;
const INDEX = /^\[(0|[1-9]\d{0,8})\]/;
const QUOTED = /^\[("(?:[^"\\\p{Cc}]|\\.)*")\]/u;

/** Formats a path; `parseFieldPath` returns the same segments. */
export function formatFieldPath(path: FieldPath): string {
  let text = "";
  for (const segment of path) {
    if (typeof segment === "number") text += `[${segment}]`;
    else if (PLAIN_NAME.exec(segment)?.[0] !== segment) text += `[${quote(segment)}]`;
    else text += text === "" ? segment : `.${segment}`;
  }
  return text;
}

/** Parses a path; undefined if it is malformed. The first segment is always a name. */
export function parseFieldPath(text: string): FieldPath | undefined {
  if (text.length === 0 || text.length > MAX_PATH_CHARS) return undefined;
  const path: (string | number)[] = [];
  let rest = text;
  while (rest !== "") {
    const index = INDEX.exec(rest);
    const quoted = index ? null : QUOTED.exec(rest);
    if (index) path.push(Number(index[1]));
    else if (quoted) {
      const name = parseQuoted(quoted[1]!);
      if (name === undefined) return undefined;
      path.push(name);
    } else {
      if (path.length > 0) {
        if (!rest.startsWith(".")) return undefined;
        rest = rest.slice(1);
      }
      const name = PLAIN_NAME.exec(rest)?.[0];
      if (name === undefined) return undefined;
      path.push(name);
      rest = rest.slice(name.length);
      continue;
    }
    rest = rest.slice((index ?? quoted)![0].length);
  }
  return typeof path[0] === "string" ? path : undefined;
}

/** Parses a path, or throws `invalid_field_path`. */
export function requireFieldPath(text: string): FieldPath {
  const path = parseFieldPath(text);
  if (path) return path;
  throw new CodedError("invalid_field_path", {
    param: "field_path",
    message: 'field_path is not a path such as body, payload.parts[2].text or ["a.b"].c.',
  });
}

/** The value at `path` in `data`; undefined when there is none. Own properties only. */
export function valueAt(data: unknown, path: FieldPath): unknown {
  let value = data;
  for (const segment of path) {
    if (value === null || typeof value !== "object") return undefined;
    if (typeof segment === "number" ? !Array.isArray(value) : Array.isArray(value)) return undefined;
    if (!Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string | number, unknown>)[segment];
  }
  return value;
}

/** JSON with DEL and C1 controls escaped too, which `JSON.stringify` leaves as they are. */
function quote(name: string): string {
  return JSON.stringify(name).replace(
    /\p{Cc}/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function parseQuoted(json: string): string | undefined {
  try {
    return JSON.parse(json) as string;
  } catch {
    return undefined;
  }
}
