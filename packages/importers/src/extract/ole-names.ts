/** The names of the streams and storages at the root of an OLE2 compound file ([MS-CFB]). */

const FREE = 0xffff_fffa;
/** More than any real file has; a chain that is longer is a cycle. */
const SECTORS_MAX = 100_000;
const ENTRY_BYTES = 128;

/** Lists the names; as many as can be read of a broken file. */
export function listOleNames(bytes: Uint8Array): ReadonlySet<string> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const names = new Set<string>();
  // Sectors have 512 bytes, or 4,096 from version 4 on.
  const shift = file.length < 512 ? 0 : file.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return names;
  const sector_bytes = 2 ** shift;
  const place = (sector: number): number => (sector + 1) * sector_bytes;
  const fat = listFatSectors(file, place);
  const next = (sector: number): number => {
    const per_sector = sector_bytes / 4;
    const at = place(fat[Math.floor(sector / per_sector)] ?? FREE) + (sector % per_sector) * 4;
    return at + 4 <= file.length ? file.readUInt32LE(at) : FREE;
  };
  const directory: Buffer[] = [];
  for (let sector = file.readUInt32LE(48); sector < FREE && directory.length < SECTORS_MAX; ) {
    if (place(sector) >= file.length) break;
    directory.push(file.subarray(place(sector), place(sector) + sector_bytes));
    sector = next(sector);
  }
  collectNames(Buffer.concat(directory), names);
  return names;
}

/** The sectors of the allocation table: the first 109 are in the header, which is enough for files of 6 MiB and more. */
function listFatSectors(file: Buffer, place: (sector: number) => number): number[] {
  const sectors: number[] = [];
  for (let at = 76; at < 512; at += 4) sectors.push(file.readUInt32LE(at));
  const per_sector = place(0) / 4 - 1;
  let more = file.readUInt32LE(68);
  for (let count = 0; more < FREE && count < 1_000; count += 1) {
    const at = place(more);
    if (at + place(0) > file.length) break;
    for (let each = 0; each < per_sector; each += 1) sectors.push(file.readUInt32LE(at + each * 4));
    more = file.readUInt32LE(at + per_sector * 4);
  }
  return sectors;
}

/** The children of the root are a binary tree: entry 0 names its top, each entry its left and right. */
function collectNames(directory: Buffer, names: Set<string>): void {
  const seen = new Set<number>();
  const waiting = directory.length >= ENTRY_BYTES ? [directory.readUInt32LE(76)] : [];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const start = at * ENTRY_BYTES;
    if (seen.has(at) || start + ENTRY_BYTES > directory.length) continue;
    seen.add(at);
    const size = Math.min(64, directory.readUInt16LE(start + 64));
    names.add(directory.toString("utf16le", start, start + Math.max(0, size - 2)));
    waiting.push(directory.readUInt32LE(start + 68), directory.readUInt32LE(start + 72));
  }
}
