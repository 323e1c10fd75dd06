/** Random records for property tests: wide, deep, in every script, with escapes and encoded bytes. */
import { formatFieldPath } from "@rungs/evidence";
import fc from "fast-check";
import { anyText } from "../../testing/arbitraries.ts";
import { PIECES } from "../../testing/texts.ts";
import { listNames } from "../../testing/wide.ts";

/** The fields that random records have, all of them or some. */
export const FIELD_NAMES: readonly string[] = [...listNames(40), "a.b", "br[0]", "sp ace", "名前 😀"];

export type RandomRecord = Readonly<Record<string, unknown>>;

/** Up to 24,000 characters in a few pieces, longer than any window. */
const longText = fc
  .record({
    pieces: fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 }),
    chars: fc.nat(24_000),
  })
  .map(({ pieces, chars }) => {
    const unit = pieces.join("");
    return unit.repeat(Math.ceil(chars / unit.length));
  });

/** Bytes as mail, web pages and databases write them. */
const encodedBytes = fc
  .record({
    bytes: fc.uint8Array({ minLength: 900, maxLength: 3_000, size: "max" }),
    form: fc.constantFrom("base64", "wrapped", "url", "hex"),
  })
  .map(({ bytes, form }) => {
    const base64 = Buffer.from(bytes).toString("base64");
    if (form === "hex") return Buffer.from(bytes).toString("hex");
    if (form === "url") return `data:image/png;base64,${base64}`;
    return form === "wrapped" ? base64.replaceAll(/.{76}/g, "$&\r\n") : base64;
  });

const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null));
const text = fc.oneof(anyText, longText);
const { deep } = fc.letrec<{ deep: unknown }>((tie) => ({
  deep: fc.oneof(
    { maxDepth: 6, depthIdentifier: "deep" },
    fc.oneof({ weight: 4, arbitrary: text }, scalar, encodedBytes),
    fc.array(tie("deep"), { maxLength: 6, depthIdentifier: "deep" }),
    fc.dictionary(fc.oneof(fc.constantFrom("t", "a.b", "[0]", "漢字"), fc.string()), tie("deep"), {
      maxKeys: 5,
      depthIdentifier: "deep",
      noNullPrototype: true,
    }),
  ),
}));
const longList = fc
  .record({ text: anyText, count: fc.nat(300) })
  .map(({ text: each, count }) => Array.from({ length: count }, (_, at) => ({ at, text: `${each} ${at}` })));

/** Any record, with one to all of the fields. */
export const anyRecord: fc.Arbitrary<RandomRecord> = fc.dictionary(
  fc.constantFrom(...FIELD_NAMES),
  fc.oneof({ weight: 4, arbitrary: text }, scalar, encodedBytes, deep, longList),
  { minKeys: 1, maxKeys: 30, noNullPrototype: true },
);

/** The paths of a record's values, nested ones included, and some that match nothing. */
export function listPaths(record: RandomRecord): string[] {
  const paths: string[] = [];
  const walk = (value: unknown, at: readonly (string | number)[]) => {
    if (paths.length > 500) return;
    if (at.length > 0) paths.push(formatFieldPath(at));
    if (value === null || typeof value !== "object") return;
    for (const [name, inner] of Object.entries(value)) {
      walk(inner, [...at, Array.isArray(value) ? Number(name) : name]);
    }
  };
  walk(record, []);
  return [...paths, "field_039", `${paths[0]}.none`, `${paths[0]}[9999]`];
}
