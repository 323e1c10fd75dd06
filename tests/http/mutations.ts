/** Requests that are nearly right: what people, programs and attackers send. */
import type { Chance } from "./random.ts";

/** A request before it is written down. */
export interface Draft {
  readonly method: string;
  /** Encoded segments. */
  readonly segments: readonly string[];
  /** Encoded names and values. */
  readonly params: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
}

/** Values that something, somewhere, takes for something else. */
const NASTY = [
  "",
  "0",
  "-1",
  "1e9",
  "99999999999999999999",
  "null",
  "true",
  "NaN",
  "[]",
  "{}",
  "undefined",
  "__proto__",
  "constructor",
  "..",
  ".",
  "../../etc/passwd",
  "a/b",
  "a\\b",
  "%",
  "%00",
  "\u0000",
  "\n",
  "\r\nX: y",
  "é",
  "漢字",
  "😀",
  "\u202e",
  "'",
  '"',
  "`",
  ";--",
  "' OR 1=1 --",
  "$1",
  "?1",
  "$" + "{x}",
  "<script>",
  "*",
  "a*",
  '"',
  '"a',
  "a,b,,c",
  "=",
  ">=",
  "rating>=",
  "rating=1=2",
  "=x",
  "body=1",
  "x".repeat(1000),
  "x".repeat(9000),
  "a ".repeat(300),
  "pdpp://record/",
  "pdpp://record/e30",
  "home/notes:n1",
  "secret",
  "secret[0]",
  "body[",
  'a["',
  "notes",
  "shelves",
  "home",
  "work",
];

const RANGES = [
  "bytes=0-0",
  "bytes=5-1",
  "bytes=-0",
  "bytes=999-",
  "bytes=0-1,2-3",
  "bytes=abc",
  "bits=0-1",
  "bytes=-",
  "bytes=1-99999999999999999999",
  "",
];
const METHODS = ["GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];
const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ["Range", RANGES],
  ["If-None-Match", ["*", '"x"', "W/", "", ",,,"]],
  ["If-Range", ['"x"', "*", ""]],
  ["Accept", ["text/html", "*/*", "application/json;q=0", ";;;", ",", "application/x-ndjson"]],
  ["PDPP-Version", ["2026-07-01", "2020-01-01", "", "x".repeat(300)]],
  ["Host", ["localhost", "evil.example", "", "[::1", "localhost:99999"]],
  ["Origin", ["null", "http://localhost", "x", ""]],
  [
    "Content-Type",
    ["application/json", "application/x-ndjson", "text/plain", "", "application/x-ndjson; charset=latin1"],
  ],
  ["Content-Length", ["-1", "x", "999999999999999"]],
  [
    "Authorization",
    ["", "Bearer", "Bearer x", "Basic x", "bearer  y", `Bearer ${"z".repeat(600)}`, "Bearer a b"],
  ],
];

type Mutation = (draft: Draft, chance: Chance) => Draft;

const mutations: readonly Mutation[] = [
  (draft, chance) => ({ ...draft, params: draft.params.filter(() => chance.once(0.6)) }),
  (draft, chance) => ({
    ...draft,
    params: [...draft.params, ...draft.params.filter(() => chance.once(0.5))],
  }),
  (draft, chance) => ({
    ...draft,
    params: draft.params.map(([name, value]) => [name, chance.once(0.5) ? anyValue(chance) : value]),
  }),
  (draft, chance) => ({
    ...draft,
    params: draft.params.map(([name, value]) => [chance.once(0.3) ? anyValue(chance) : name, value]),
  }),
  (draft, chance) => ({
    ...draft,
    params: draft.params.map(([name, value]) => [name, chance.once(0.6) ? mangle(value, chance) : value]),
  }),
  (draft, chance) => ({ ...draft, params: [...draft.params, [anyName(chance), anyValue(chance)]] }),
  (draft, chance) => ({
    ...draft,
    segments: draft.segments.map((each, at) => (at > 2 && chance.once(0.5) ? anyValue(chance) : each)),
  }),
  (draft, chance) => ({
    ...draft,
    segments: draft.segments.map((each) => (chance.once(0.3) ? mangle(each, chance) : each)),
  }),
  (draft, chance) => ({
    ...draft,
    segments: chance.once(0.5)
      ? [...draft.segments, anyValue(chance)]
      : draft.segments.slice(0, chance.below(draft.segments.length + 1)),
  }),
  (draft, chance) => ({ ...draft, method: chance.pick(METHODS) }),
  (draft, chance) => {
    const [name, values] = chance.pick(HEADERS);
    return { ...draft, headers: { ...draft.headers, [name]: chance.pick(values) } };
  },
  (draft, chance) => ({ ...draft, body: draft.body && mangleBytes(draft.body, chance) }),
];

/** Every nasty value at every place of a request, one at a time. */
export function* replaceEach(draft: Draft): Generator<Draft> {
  for (const value of NASTY.map((text) => encodeURIComponent(text.toWellFormed()))) {
    for (const at of draft.params.keys()) {
      yield {
        ...draft,
        params: draft.params.map(([name, old], index) => [name, index === at ? value : old]),
      };
    }
    for (const at of draft.segments.keys()) {
      if (at > 0)
        yield { ...draft, segments: draft.segments.map((old, index) => (index === at ? value : old)) };
    }
  }
}

/** Changes one to three things about a request. */
export function mutate(draft: Draft, chance: Chance): Draft {
  let mutated = draft;
  for (let left = 1 + chance.below(3); left > 0; left -= 1) mutated = chance.pick(mutations)(mutated, chance);
  return mutated;
}

const NAMES = [
  "q",
  "limit",
  "cursor",
  "stream",
  "connection_id",
  "fields",
  "filter",
  "order",
  "order_by",
  "field",
  "field_path",
  "offset_chars",
  "limit_chars",
  "before_chars",
  "after_chars",
  "changes_since",
  "metric",
  "group_by",
  "time_bucket",
  "view",
  "expand",
  "range",
  "id",
  "__proto__",
];

function anyName(chance: Chance): string {
  return chance.once(0.8) ? chance.pick(NAMES) : anyValue(chance);
}

function anyValue(chance: Chance): string {
  const value = chance.pick(NASTY);
  return chance.once(0.9) ? encodeURIComponent(value.toWellFormed()) : value.replace(/[\s\p{Cc}?#]/gu, "%");
}

/** Flips, cuts, doubles or swaps letters of an encoded text. */
function mangle(text: string, chance: Chance): string {
  const at = chance.below(text.length + 1);
  switch (chance.below(5)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(at);
    case 2:
      return (
        text.slice(0, at) + chance.pick(["A", "_", "-", "0", "%41", "%", "%ff", "."]) + text.slice(at + 1)
      );
    case 3:
      return text + text.slice(at);
    default:
      return [...text].reverse().join("");
  }
}

function mangleBytes(bytes: Uint8Array, chance: Chance): Uint8Array {
  const mangled = Buffer.from(bytes);
  switch (chance.below(5)) {
    case 0:
      return mangled.subarray(0, chance.below(mangled.length + 1));
    case 1:
      for (let left = 8; left > 0; left -= 1) mangled[chance.below(mangled.length)] = chance.below(256);
      return mangled;
    case 2:
      return Buffer.concat([mangled, Buffer.from("[".repeat(5000))]);
    case 3:
      return Buffer.from(
        mangled.toString("latin1").replaceAll('"', chance.pick(["'", "", '""', '"__proto__"'])),
        "latin1",
      );
    default:
      return Buffer.concat([mangled, Buffer.from([0x0a]), mangled.subarray(chance.below(mangled.length))]);
  }
}
