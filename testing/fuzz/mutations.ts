/** Nearly valid requests, as people, programs and attackers send them. */
import type { Random } from "../random.ts";

/** A request before it is serialized. */
export interface Draft {
  readonly method: string;
  /** Encoded segments. */
  readonly segments: readonly string[];
  /** Encoded names and values. */
  readonly params: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
}

/** Values that some parser misinterprets. */
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

type Mutation = (draft: Draft, random: Random) => Draft;

const mutations: readonly Mutation[] = [
  (draft, random) => ({ ...draft, params: draft.params.filter(() => random.chance(0.6)) }),
  (draft, random) => ({
    ...draft,
    params: [...draft.params, ...draft.params.filter(() => random.chance(0.5))],
  }),
  (draft, random) => ({
    ...draft,
    params: draft.params.map(([name, value]) => [name, random.chance(0.5) ? anyValue(random) : value]),
  }),
  (draft, random) => ({
    ...draft,
    params: draft.params.map(([name, value]) => [random.chance(0.3) ? anyValue(random) : name, value]),
  }),
  (draft, random) => ({
    ...draft,
    params: draft.params.map(([name, value]) => [name, random.chance(0.6) ? mangle(value, random) : value]),
  }),
  (draft, random) => ({ ...draft, params: [...draft.params, [anyName(random), anyValue(random)]] }),
  (draft, random) => ({
    ...draft,
    segments: draft.segments.map((each, at) => (at > 2 && random.chance(0.5) ? anyValue(random) : each)),
  }),
  (draft, random) => ({
    ...draft,
    segments: draft.segments.map((each) => (random.chance(0.3) ? mangle(each, random) : each)),
  }),
  (draft, random) => ({
    ...draft,
    segments: random.chance(0.5)
      ? [...draft.segments, anyValue(random)]
      : draft.segments.slice(0, random.below(draft.segments.length + 1)),
  }),
  (draft, random) => ({ ...draft, method: random.pick(METHODS) }),
  (draft, random) => {
    const [name, values] = random.pick(HEADERS);
    return { ...draft, headers: { ...draft.headers, [name]: random.pick(values) } };
  },
  (draft, random) => ({ ...draft, body: draft.body && mangleBytes(draft.body, random) }),
];

/** Every nasty value in every place of a request, one at a time. */
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

/** Makes one to three changes to a request. */
export function mutate(draft: Draft, random: Random): Draft {
  let mutated = draft;
  for (let left = 1 + random.below(3); left > 0; left -= 1) mutated = random.pick(mutations)(mutated, random);
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

function anyName(random: Random): string {
  return random.chance(0.8) ? random.pick(NAMES) : anyValue(random);
}

function anyValue(random: Random): string {
  const value = random.pick(NASTY);
  return random.chance(0.9) ? encodeURIComponent(value.toWellFormed()) : value.replace(/[\s\p{Cc}?#]/gu, "%");
}

/** Flips, cuts, doubles or swaps letters of an encoded text. */
function mangle(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(at);
    case 2:
      return (
        text.slice(0, at) + random.pick(["A", "_", "-", "0", "%41", "%", "%ff", "."]) + text.slice(at + 1)
      );
    case 3:
      return text + text.slice(at);
    default:
      return [...text].reverse().join("");
  }
}

function mangleBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const mangled = Buffer.from(bytes);
  switch (random.below(5)) {
    case 0:
      return mangled.subarray(0, random.below(mangled.length + 1));
    case 1:
      for (let left = 8; left > 0; left -= 1) mangled[random.below(mangled.length)] = random.below(256);
      return mangled;
    case 2:
      return Buffer.concat([mangled, Buffer.from("[".repeat(5000))]);
    case 3:
      return Buffer.from(
        mangled.toString("latin1").replaceAll('"', random.pick(["'", "", '""', '"__proto__"'])),
        "latin1",
      );
    default:
      return Buffer.concat([mangled, Buffer.from([0x0a]), mangled.subarray(random.below(mangled.length))]);
  }
}
