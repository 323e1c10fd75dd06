/** Headers of tar archives: POSIX.1-2017 (ustar, pax), and the extensions of GNU for long names and large files. */
export interface TarHeader {
  readonly name: string;
  readonly size_bytes: number;
  readonly modified_at?: string | undefined;
  readonly type: string;
}

/** Headers and content occupy whole blocks. */
export const TAR_BLOCK = 512;

const TYPES = new Set([..."\0", ..."01234567", ..."xgLKSDVMNAX"]);
const [SUM_AT, SUM_END] = [148, 156];

/** Parses a header; undefined if the sum of its bytes is wrong, as for anything that is not a header. */
export function parseTarHeader(block: Uint8Array): TarHeader | undefined {
  if (block.length < TAR_BLOCK || block[0] === 0) return undefined;
  let sum = 0;
  for (const [at, byte] of block.subarray(0, TAR_BLOCK).entries())
    sum += at >= SUM_AT && at < SUM_END ? 0x20 : byte;
  if (readNumber(block.subarray(SUM_AT, SUM_END)) !== sum) return undefined;
  const type = String.fromCharCode(block[156]!);
  const size_bytes = readNumber(block.subarray(124, 136));
  if (!TYPES.has(type) || size_bytes === undefined) return undefined;
  const isUstar = Buffer.from(block.subarray(257, 262)).toString("latin1") === "ustar";
  // GNU's format has other fields in place of the prefix.
  const prefix = isUstar && block[262] === 0 ? readText(block.subarray(345, 500)) : "";
  const name = readText(block.subarray(0, 100));
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    size_bytes,
    modified_at: toTime(readNumber(block.subarray(136, 148))),
    type,
  };
}

/** Whether a file begins as a tar archive does. */
export function isTar(head: Uint8Array): boolean {
  return parseTarHeader(head.subarray(0, TAR_BLOCK)) !== undefined;
}

/** The facts in a pax header about the next entry. */
export interface PaxRecords {
  readonly path?: string | undefined;
  readonly size_bytes?: number | undefined;
  readonly modified_at?: string | undefined;
}

/** Parses `LENGTH NAME=VALUE\n` records. */
export function parsePax(bytes: Uint8Array): PaxRecords {
  const values = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = space < 0 ? Number.NaN : Number(readText(bytes.subarray(at, space)));
    if (!Number.isSafeInteger(length) || length <= space - at || at + length > bytes.length) break;
    const record = readText(bytes.subarray(space + 1, at + length - 1));
    const equals = record.indexOf("=");
    if (equals > 0) values.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  const size = Number(values.get("size") ?? Number.NaN);
  const path = values.get("path");
  const modified_at = toTime(Number(values.get("mtime") ?? Number.NaN));
  return {
    ...(path === undefined ? {} : { path }),
    ...(Number.isSafeInteger(size) && size >= 0 ? { size_bytes: size } : {}),
    ...(modified_at === undefined ? {} : { modified_at }),
  };
}

/** Text up to its first zero byte, in UTF-8; Latin-1 where it is not valid. */
export function readText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const text = end < 0 ? bytes : bytes.subarray(0, end);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(text);
  } catch {
    return Buffer.from(text).toString("latin1");
  }
}

/** Octal digits, or for large numbers a first byte of 0x80 and the bytes of the number. */
function readNumber(field: Uint8Array): number | undefined {
  if (field[0] === 0x80) {
    let number = 0;
    for (const byte of field.subarray(1)) number = number * 256 + byte;
    return Number.isSafeInteger(number) ? number : undefined;
  }
  const digits = Buffer.from(field).toString("latin1").replace(/\0.*$/s, "").trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || "0", 8) : undefined;
}

function toTime(seconds: number | undefined): string | undefined {
  if (seconds === undefined || !(seconds > 0) || seconds > 253_402_300_799) return undefined;
  return new Date(Math.floor(seconds * 1000)).toISOString();
}
