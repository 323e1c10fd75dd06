/** Scalar values as bytes that sort as the values do, on both engines. */
import type { FieldShape } from "@rungs/contract";
import { parseTimeMs } from "@rungs/contract";
import type { Scalar } from "../store.ts";
import { SCALAR_BYTES } from "./sizes.ts";

const Tag = { false: 1, true: 2, number: 3, time: 4, text: 5 } as const;
/** The tag of a value, and its eight bytes if it is a number or a time. */
export const HEAD_BYTES = 9;
/** Never occurs in UTF-8: marks a truncated text. */
const CUT_MARK = 0xff;

/** Encodes a value of `field`; undefined when it is not a scalar. */
export function encodeScalar(field: FieldShape, value: unknown): Uint8Array | undefined {
  if (typeof value === "boolean") return Uint8Array.of(value ? Tag.true : Tag.false);
  const time = isTime(field) ? parseTimeMs(value) : undefined;
  if (time !== undefined) return Buffer.concat([encodeNumber(Tag.time, time), Buffer.from(String(value))]);
  if (typeof value === "number") return encodeNumber(Tag.number, value);
  if (typeof value !== "string") return undefined;
  const bytes = Buffer.from(value);
  const cut = bytes.length > SCALAR_BYTES;
  return Buffer.concat([
    Uint8Array.of(Tag.text),
    cut ? bytes.subarray(0, SCALAR_BYTES) : bytes,
    Uint8Array.of(...(cut ? [CUT_MARK] : [])),
  ]);
}

/** The value as a number, for sums; null when it is not one. */
export function readNumber(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

export function decodeScalar(bytes: Uint8Array): Scalar {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (buffer[0]) {
    case Tag.false:
      return false;
    case Tag.true:
      return true;
    case Tag.number:
      return decodeNumber(buffer);
    case Tag.time:
      return decodeTime(buffer);
    default:
      return buffer.at(-1) === CUT_MARK
        ? `${buffer.toString("utf8", 1, buffer.length - 1)}…`
        : buffer.toString("utf8", 1);
  }
}

/** Whether an encoded value is a text. */
export function isEncodedText(bytes: Uint8Array): boolean {
  return bytes[0] === Tag.text;
}

/** The range of encoded values of the same type. */
export function typeRange(bytes: Uint8Array): { from: Uint8Array; to: Uint8Array } {
  const tag = bytes[0] as number;
  return { from: Uint8Array.of(tag), to: Uint8Array.of(tag + 1) };
}

/** The range of encoded texts that begin as `bytes` do. */
export function prefixRange(bytes: Uint8Array): { from: Uint8Array; to: Uint8Array } {
  return { from: bytes, to: Buffer.concat([bytes, Uint8Array.of(CUT_MARK)]) };
}

/** The range of encoded values that equal `bytes`: one instant can be written in several ways. */
export function equalRange(bytes: Uint8Array): { from: Uint8Array; to: Uint8Array } {
  const moment = bytes[0] === Tag.time ? bytes.subarray(0, HEAD_BYTES) : bytes;
  return { from: moment, to: bytes[0] === Tag.time ? Buffer.concat([moment, Uint8Array.of(0xff)]) : bytes };
}

function isTime(field: FieldShape): boolean {
  return field.format === "date-time" || field.format === "date";
}

/** The eight bytes of an IEEE 754 number, with bits flipped so that they sort by value. */
function encodeNumber(tag: number, value: number): Buffer {
  const bytes = Buffer.alloc(9);
  bytes[0] = tag;
  bytes.writeDoubleBE(value === 0 ? 0 : value, 1);
  if ((bytes[1] as number) & 0x80)
    for (let at = 1; at < 9; at += 1) bytes[at] = ~(bytes[at] as number) & 0xff;
  else bytes[1] = (bytes[1] as number) | 0x80;
  return bytes;
}

function decodeNumber(buffer: Buffer): number {
  const bytes = Buffer.from(buffer.subarray(1, 9));
  if ((bytes[0] as number) & 0x80) bytes[0] = (bytes[0] as number) & 0x7f;
  else for (let at = 0; at < 8; at += 1) bytes[at] = ~(bytes[at] as number) & 0xff;
  return bytes.readDoubleBE(0);
}

/** The time as it was written: text, or a number since the epoch. */
function decodeTime(buffer: Buffer): Scalar {
  const written = buffer.toString("utf8", 9);
  return /^-?\d+(\.\d+)?$/.test(written) ? Number(written) : written;
}
