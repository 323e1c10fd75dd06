/** Values inside a long JSON value that have no row of their own: found by reading the JSON text up to them. */
import { createHash } from "node:crypto";
import { countBytes, formatFieldPath, requireFieldPath } from "@rungs/evidence";
import type { SqlContext } from "../database.ts";
import { readChars, type StoredText } from "../rows/chunks.ts";
import { JsonLocator, type LocatedValue } from "../rows/locate-json.ts";
import { findText, type InlineText, type Place, type TextRow } from "./field-text.ts";

/** A slice of the JSON text or, for a string with escapes, its decoded text. */
export type DeepText =
  | { readonly kind: "slice"; readonly row: TextRow }
  | { readonly kind: "decoded"; readonly inline: InlineText };

const PIECE_CHARS = 65_536;
const MAX_KNOWN = 1_000;

/** Finds deep values. A document is one version of a record, so a place in it never changes and is remembered. */
export class DeepTexts {
  readonly #known = new Map<string, TextRow>();

  /** The value at a path inside a long JSON value; undefined when there is none, or it is null. */
  async find(context: SqlContext, place: Place): Promise<DeepText | undefined> {
    const [, ...path] = requireFieldPath(place.path);
    if (path.length === 0) return undefined;
    const whole = await findText(context, { ...place, path: formatFieldPath([place.field]) });
    if (whole?.kind !== "json") return undefined;
    const key = `${context.owner} ${whole.doc} ${place.path}`;
    const known = this.#known.get(key);
    if (known) return { kind: "slice", row: known };
    const located = await locate(context, toStoredText(whole), new JsonLocator(path));
    if (!located) return undefined;
    if (located.has_escapes && located.kind === "text") {
      const json = await readChars(context, toStoredText(whole), located.start_char, located.end_char);
      return { kind: "decoded", inline: { kind: "text", text: JSON.parse(json) as string } };
    }
    const row = await describeSlice(context, whole, located);
    if (!row) return undefined;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, row);
    return { kind: "slice", row };
  }
}

export function toStoredText({ doc, text_no, text_start: start_char, size_chars }: TextRow): StoredText {
  return { doc, text_no, start_char, size_chars };
}

async function locate(
  context: SqlContext,
  text: StoredText,
  locator: JsonLocator,
): Promise<LocatedValue | null | undefined> {
  for await (const piece of readPieces(context, text)) {
    const located = locator.push(piece);
    if (located !== undefined) return located;
  }
  return undefined;
}

async function* readPieces(context: SqlContext, text: StoredText): AsyncGenerator<string> {
  for (let start = 0; start < text.size_chars; start += PIECE_CHARS)
    yield await readChars(context, text, start, Math.min(text.size_chars, start + PIECE_CHARS));
}

/** The row that a value would have; undefined for null. */
async function describeSlice(
  context: SqlContext,
  whole: TextRow,
  { start_char, end_char, kind }: LocatedValue,
): Promise<TextRow | undefined> {
  const quote = kind === "text" ? 1 : 0;
  const text_start = whole.text_start + start_char + quote;
  const size_chars = end_char - start_char - 2 * quote;
  const slice = { ...whole, kind, text_start, size_chars, first_position: null, end_position: null };
  const hash = createHash("sha256");
  let size_bytes = 0;
  for await (const piece of readPieces(context, toStoredText(slice))) {
    if (kind === "json" && size_chars === 4 && piece === "null") return undefined;
    hash.update(piece, "utf8");
    size_bytes += countBytes(piece);
  }
  return { ...slice, size_bytes, digest: `sha256:${hash.digest("hex")}` };
}
