/** Archives for tests, including malicious ones. */
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";

/** One entry of an archive, and its false metadata. */
export interface FixtureEntry {
  readonly path: string | Uint8Array;
  readonly content?: string | Uint8Array;
  readonly packed?: boolean;
  readonly encrypted?: boolean;
  readonly method?: number;
  /** The size in the central directory, if it should be false. */
  readonly claimed_bytes?: number;
}

/** Writes a zip archive (APPNOTE 4.3: local headers with content, the directory, its end). */
export function createZip(entries: readonly FixtureEntry[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const each of entries) {
    const { common, name, body } = layOut(each);
    directory.push(
      Buffer.concat([
        words("PK\x01\x02", [[20, 2]]),
        common,
        fields([
          [0, 10],
          [offset, 4],
        ]),
        name,
      ]),
    );
    const local = Buffer.concat([words("PK\x03\x04", []), common, name, body]);
    parts.push(local);
    offset += local.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const count = entries.length;
  const end = words("PK\x05\x06", [
    [0, 4],
    [count, 2],
    [count, 2],
    [size, 4],
    [offset, 4],
    [0, 2],
  ]);
  return Buffer.concat([...parts, ...directory, end]);
}

function layOut({
  path,
  content = "",
  packed = false,
  encrypted = false,
  method,
  claimed_bytes,
}: FixtureEntry) {
  const name = Buffer.from(path);
  const bytes = Buffer.from(content);
  const body = packed ? deflateRawSync(bytes) : bytes;
  const common = fields([
    [20, 2],
    [encrypted ? 1 : 0, 2],
    [method ?? (packed ? 8 : 0), 2],
    [0, 2],
    [(2024 - 1980) * 512 + 33, 2],
    [crc32(bytes), 4],
    [body.length, 4],
    [claimed_bytes ?? bytes.length, 4],
    [name.length, 2],
    [0, 2],
  ]);
  return { common, name, body };
}

type Field = readonly [value: number, bytes: number];

function words(signature: string, rest: readonly Field[]): Buffer {
  return Buffer.concat([Buffer.from(signature, "latin1"), fields(rest)]);
}

/** Little-endian numbers; a zero may be wider than the six bytes that `writeUIntLE` takes. */
function fields(list: readonly Field[]): Buffer {
  return Buffer.concat(
    list.map(([value, bytes]) => {
      const field = Buffer.alloc(bytes);
      if (value !== 0) field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}

/** The entries of an archive that `createZip` wrote, unpacked. */
export function listZip(bytes: Uint8Array): { path: string; content: string }[] {
  const zip = Buffer.from(bytes);
  const entries: { path: string; content: string }[] = [];
  for (let at = 0; zip.readUInt32LE(at) === LOCAL_HEADER; ) {
    const start = at + 30 + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
    const body = zip.subarray(start, start + zip.readUInt32LE(at + 18));
    const content = zip.readUInt16LE(at + 8) === 0 ? body : inflateRawSync(body);
    entries.push({ path: zip.toString("utf8", at + 30, start), content: content.toString() });
    at = start + body.length;
  }
  return entries;
}

const LOCAL_HEADER = 0x04034b50;
