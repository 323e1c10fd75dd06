/** Writes a record's whole data as JSON: values that the store cut are read piece by piece and never held in memory at once. */
import { type FieldPath, formatFieldPath, parseFieldPath } from "@rungs/evidence";
import type { FieldSlice, StoredCut, StoredRecord } from "@rungs/store";

/** Reads a piece of a field. */
export type ReadPiece = (
  field_path: string,
  range: { start: number; end: number },
) => Promise<FieldSlice | undefined>;

/** A value differs from the one that the record was listed with. */
export class RecordChangedError extends Error {
  constructor() {
    super("A record changed while it was read.");
  }
}

/** How much of a long value is in memory at once. */
const PIECE_CHARS = 65_536;

/** Writes the data of a record, in pieces of JSON. */
export function writeData({ data, cuts }: StoredRecord, read: ReadPiece): AsyncGenerator<string> {
  const byPath = new Map(cuts.map((cut) => [cut.path, cut]));
  return byPath.size === 0 ? writeWhole(data) : writeValue(data, [], byPath, read);
}

async function* writeWhole(value: unknown): AsyncGenerator<string> {
  yield JSON.stringify(value);
}

async function* writeValue(
  value: unknown,
  path: FieldPath,
  cuts: ReadonlyMap<string, StoredCut>,
  read: ReadPiece,
): AsyncGenerator<string> {
  const cut = cuts.get(formatFieldPath(path));
  if (cut) {
    yield* writeCut(cut, listInside(cut, cuts), read);
  } else if (value === null || typeof value !== "object") {
    yield JSON.stringify(value);
  } else {
    const isList = Array.isArray(value);
    let before = isList ? "[" : "{";
    for (const [name, member] of isList ? value.entries() : Object.entries(value)) {
      yield typeof name === "number" ? before : `${before}${JSON.stringify(name)}:`;
      yield* writeValue(member, [...path, name], cuts, read);
      before = ",";
    }
    yield `${before === "," ? "" : before}${isList ? "]" : "}"}`;
  }
}

/** Strings inside a cut `json` value that encode bytes: its text only describes them. In order. */
function listInside({ path, kind }: StoredCut, cuts: ReadonlyMap<string, StoredCut>): StoredCut[] {
  if (kind !== "json") return [];
  const field = parseFieldPath(path)?.[0];
  return [...cuts.values()]
    .filter(({ path: each, bytes }) => bytes?.shown_at && parseFieldPath(each)?.[0] === field)
    .sort((a, b) => startOf(a) - startOf(b));
}

function startOf({ bytes }: StoredCut): number {
  return bytes?.shown_at?.start_chars ?? 0;
}

/** The text of a cut `json` value is already JSON. */
async function* writeCut(
  cut: StoredCut,
  inside: readonly StoredCut[],
  read: ReadPiece,
): AsyncGenerator<string> {
  if (cut.kind !== "json") yield '"';
  let start = 0;
  for (const encoded of inside) {
    yield* writeRange(cut, { start, end: startOf(encoded) }, read);
    yield* writeCut(encoded, [], read);
    start = encoded.bytes?.shown_at?.end_chars ?? start;
  }
  yield* writeRange(cut, { start, end: cut.size_chars }, read);
  if (cut.kind !== "json") yield '"';
}

async function* writeRange(
  { path, kind, digest }: StoredCut,
  { start, end }: { readonly start: number; readonly end: number },
  read: ReadPiece,
): AsyncGenerator<string> {
  for (let at = start; at < end; at += PIECE_CHARS) {
    const piece = await read(path, { start: at, end: Math.min(end, at + PIECE_CHARS) });
    if (piece?.digest !== digest) throw new RecordChangedError();
    yield kind === "json" ? piece.text : JSON.stringify(piece.text).slice(1, -1);
  }
}
