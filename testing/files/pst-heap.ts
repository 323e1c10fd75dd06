/** Heaps of Outlook data files: property contexts and tables ([MS-PST] §2.3). */
import type { FixtureProperties } from "./ole.ts";
import { toWindowsTime } from "./ole.ts";

const [PROPERTIES, TABLE, TREE] = [0xbc, 0x7c, 0xb5];

/** Pieces of a heap; `add` returns the id of a piece. */
function createHeap() {
  const pieces: Buffer[] = [];
  return {
    add(bytes: Buffer): number {
      pieces.push(bytes);
      return pieces.length << 5;
    },
    write(kind: number, root: number): Buffer {
      const starts = [12];
      for (const piece of pieces) starts.push(starts.at(-1)! + piece.length);
      const map_at = Math.ceil(starts.at(-1)! / 2) * 2;
      const heap = Buffer.alloc(map_at + 4 + 2 * starts.length);
      heap.writeUInt16LE(map_at, 0);
      heap.set([0xec, kind], 2);
      heap.writeUInt32LE(root, 4);
      for (const [at, piece] of pieces.entries()) piece.copy(heap, starts[at]!);
      heap.writeUInt16LE(pieces.length, map_at);
      for (const [at, start] of starts.entries()) heap.writeUInt16LE(start, map_at + 4 + 2 * at);
      return heap;
    },
  };
}

/** The head of a B-tree on the heap, without levels; its entries are the next piece. */
function writeTreeHead(key_bytes: number, value_bytes: number, root: number): Buffer {
  const head = Buffer.alloc(8);
  head.set([TREE, key_bytes, value_bytes, 0]);
  head.writeUInt32LE(root, 4);
  return head;
}

const parseTag = (tag: string) => {
  const number = Number.parseInt(tag, 16);
  return { id: number >>> 16, type: number & 0xffff };
};

/** A value in the form of the heap; a number is inline in its entry. */
function toBytes(value: string | Date | Uint8Array): Buffer {
  if (typeof value === "string") return Buffer.from(value, "utf16le");
  if (!(value instanceof Date)) return Buffer.from(value);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(toWindowsTime(value));
  return bytes;
}

/** Writes the properties of an object. */
export function writeProperties(properties: FixtureProperties): Buffer {
  const heap = createHeap();
  const entries = Object.entries(properties)
    .map(([tag, value]) => ({ ...parseTag(tag), value }))
    .toSorted((a, b) => a.id - b.id);
  const root = heap.add(writeTreeHead(2, 6, 2 << 5));
  const list = Buffer.alloc(8 * entries.length);
  heap.add(list);
  for (const [at, { id, type, value }] of entries.entries()) {
    list.writeUInt16LE(id, at * 8);
    list.writeUInt16LE(type, at * 8 + 2);
    list.writeUInt32LE(typeof value === "number" ? value : heap.add(toBytes(value)), at * 8 + 4);
  }
  return heap.write(PROPERTIES, root);
}

/** The row number and version, which every table has. */
const ROW_COLUMNS = ["67F20003", "67F30003"];

/** Writes a table of rows by their numbers; all values have four bytes, or are pieces of the heap. */
export function writeTable(
  rows: readonly { readonly id: number; readonly values: FixtureProperties }[],
): Buffer {
  const tags = [...ROW_COLUMNS, ...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  const heap = createHeap();
  const index = Buffer.alloc(8 * rows.length);
  const info = Buffer.alloc(22 + 8 * tags.length);
  heap.add(writeTreeHead(4, 4, rows.length === 0 ? 0 : 2 << 5));
  heap.add(index);
  const root = heap.add(info);
  const bits_at = 4 * tags.length;
  const row_bytes = bits_at + Math.ceil(tags.length / 8);
  const matrix = Buffer.alloc(row_bytes * rows.length);
  for (const [at, { id, values }] of rows.entries()) {
    index.writeUInt32LE(id, at * 8);
    index.writeUInt32LE(at, at * 8 + 4);
    const cells: FixtureProperties = { "67F20003": id, "67F30003": 1, ...values };
    for (const [column, tag] of tags.entries()) {
      const value = cells[tag];
      if (value === undefined) continue;
      const stored = typeof value === "number" ? value : heap.add(toBytes(value));
      matrix.writeUInt32LE(stored, at * row_bytes + column * 4);
      matrix[at * row_bytes + bits_at + (column >> 3)]! |= 0x80 >> (column & 7);
    }
  }
  const matrix_id = rows.length === 0 ? 0 : heap.add(matrix);
  info.set([TABLE, tags.length]);
  for (const [at, size] of [bits_at, bits_at, bits_at, row_bytes].entries())
    info.writeUInt16LE(size, 2 + at * 2);
  info.writeUInt32LE(1 << 5, 10);
  info.writeUInt32LE(matrix_id, 14);
  for (const [column, tag] of tags.entries()) {
    const { id, type } = parseTag(tag);
    info.writeUInt16LE(type, 22 + column * 8);
    info.writeUInt16LE(id, 24 + column * 8);
    info.writeUInt16LE(column * 4, 26 + column * 8);
    info.set([4, column], 28 + column * 8);
  }
  return heap.write(TABLE, root);
}
