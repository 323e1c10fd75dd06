/**
 * Keys of index entries. They sort by term, then field, then postings before positions, then document, so that
 * the entries of one term in one field are one range, and a scope reads only the ranges of its fields.
 *
 *   term 00 field section document [position]     postings and positions of a term in a field
 *   00 column field document                      numbers of documents: time, tie-breaker, length of a field
 *   00 05 term                                    the dictionary: each term of the segment once, without a value
 *   00 06 term                                    the language markers among its terms
 */
import { ByteWriter } from "./blocks.ts";

export const Section = { postings: 1, positions: 2 } as const;
/** Times before 1970 have a separate column with their distance from 1970, since numbers are unsigned. */
export const ColumnKind = { time: 1, tie: 2, length: 3, timeBefore: 4 } as const;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Column numbers that are reserved for the dictionary and for language markers. */
const DICTIONARY = 5;
const MARKERS = 6;

/** The prefix of a term's keys. */
export function encodeTerm(term: string): Uint8Array {
  return encoder.encode(term);
}

/** The prefix that all keys of one list share: everything before the first document. */
export function termListKey(term: Uint8Array, field: number, section: number): Uint8Array {
  return Uint8Array.of(...term, 0, field, section);
}

export function columnListKey(column: number, field: number): Uint8Array {
  return Uint8Array.of(0, column, field);
}

/** The key of a term in the dictionary, or of the first term with a prefix. */
export function dictionaryKey(term: Uint8Array): Uint8Array {
  return Uint8Array.of(0, DICTIONARY, ...term);
}

/** The key of a language marker; without a term, the prefix of all of them. */
export function markerKey(term: Uint8Array = new Uint8Array(0)): Uint8Array {
  return Uint8Array.of(0, MARKERS, ...term);
}

export function isDictionaryKey(key: Uint8Array): boolean {
  return key[0] === 0 && (key[1] === DICTIONARY || key[1] === MARKERS);
}

/** The term of a dictionary key. */
export function readDictionaryTerm(key: Uint8Array, keyLength: number): string {
  return decoder.decode(key.subarray(2, keyLength));
}

/** Compares by code points, which is the order of UTF-8 bytes: surrogates come after all other units. */
export function compareTerms(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) return Number(isSurrogate(x)) - Number(isSurrogate(y)) || x - y;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** A list's key with its first document and, for positions, its first position. */
export function entryKey(list: Uint8Array, ...numbers: number[]): Uint8Array {
  const writer = new ByteWriter(list.length + 12);
  writer.copy(list);
  for (const number of numbers) writeSortable(writer, number);
  return writer.take();
}

/** The first key after every key that begins with `prefix`. */
export function afterPrefix(prefix: Uint8Array): Uint8Array {
  const key = prefix.slice();
  for (let at = key.length - 1; at >= 0; at -= 1) {
    const byte = key[at] as number;
    if (byte < 0xff) {
      key[at] = byte + 1;
      return key.slice(0, at + 1);
    }
  }
  throw new Error("no key comes after this prefix");
}

/** The length of the list prefix of `key`. */
export function listLength(key: Uint8Array, keyLength: number): number {
  if (key[0] === 0) return isDictionaryKey(key) ? keyLength : 3;
  let at = 0;
  while (key[at] !== 0) at += 1;
  if (at + 3 > keyLength) throw new Error("index key is truncated");
  return at + 3;
}

/** The number after the list prefix of a key: its first document. */
export function firstNumber(key: Uint8Array, listEnd: number): number {
  return readSortable(key, listEnd);
}

/** The second number of a key: the first position. */
export function secondNumber(key: Uint8Array, listEnd: number): number {
  return readSortable(key, listEnd + 1 + (key[listEnd] as number));
}

/** Big-endian with a length prefix, so that bytes sort as numbers do. */
export function writeSortable(writer: ByteWriter, value: number): void {
  const size =
    value < 0x1
      ? 0
      : value < 0x100
        ? 1
        : value < 0x10000
          ? 2
          : value < 0x1000000
            ? 3
            : value < 0x100000000
              ? 4
              : 6;
  writer.byte(size);
  let rest = value;
  if (size === 6) {
    writer.byte(Math.floor(rest / 0x10000000000) & 0xff);
    writer.byte(Math.floor(rest / 0x100000000) & 0xff);
    rest %= 0x100000000;
  }
  for (let shift = (Math.min(size, 4) - 1) * 8; shift >= 0; shift -= 8) writer.byte((rest >>> shift) & 0xff);
}

function readSortable(key: Uint8Array, at: number): number {
  const size = key[at] as number;
  let value = 0;
  for (let byte = 1; byte <= size; byte += 1) value = value * 256 + (key[at + byte] as number);
  return value;
}
