/** OLE2 compound files ([MS-CFB]): a small file system of chained sectors. In a broken or hostile file a chain may be a cycle. */
import { Unreadable } from "./unreadable.ts";

/** From here on, sector numbers are special values, such as the end of a chain. */
const MARKS = 0xffff_fffa;
const ENTRY_BYTES = 128;
const NONE = 0xffff_ffff;

interface OleFile {
  readonly file: Buffer;
  /** The number of sectors in the file. */
  readonly sectors: number;
  readonly next: NextSector;
  readonly directory: Buffer;
}

type NextSector = (sector: number) => number;

/** The names of the streams and storages at the root; as many as can be read of a broken file. */
export function listOleNames(bytes: Uint8Array): ReadonlySet<string> {
  const ole = openOle(bytes);
  const names = new Set<string>();
  if (!ole || ole.directory.length < ENTRY_BYTES) return names;
  const { directory } = ole;
  walkEntries(directory, [directory.readUInt32LE(76)], (start) => {
    const size = Math.min(64, directory.readUInt16LE(start + 64));
    names.add(directory.toString("utf16le", start, start + Math.max(0, size - 2)));
    return [directory.readUInt32LE(start + 68), directory.readUInt32LE(start + 72)];
  });
  return names;
}

/**
 * Throws `Unreadable` if a chain of sectors or the tree of entries is a cycle, or if a stream claims to be larger than the
 * file: the libraries would follow and allocate it until memory ends.
 */
export function requireOleChains(bytes: Uint8Array): void {
  const ole = openOle(bytes);
  if (!ole) throw new Unreadable(BROKEN);
  const { file, sectors, next, directory } = ole;
  const [fat_count, mini_start, mini_count, difat_count] = [44, 60, 64, 72].map((at) =>
    file.readUInt32LE(at),
  );
  if ([fat_count, mini_count, difat_count].some((count) => count! > sectors)) throw new Unreadable(BROKEN);
  const check = createChainCheck(next, sectors);
  check(file.readUInt32LE(48));
  const mini_fat = check(mini_start!);
  const checkMini = createChainCheck(createNext(file, 2 ** file.readUInt16LE(30), mini_fat), sectors * 64);
  const cutoff = file.readUInt32LE(56);
  const isTree = walkEntries(directory, [0], (start) => {
    const [left, right, child] = [68, 72, 76].map((at) => directory.readUInt32LE(start + at));
    const isStream = directory[start + 66] === 2;
    const size = directory.readUInt32LE(start + 120);
    if (isStream && size > file.length) throw new Unreadable(BROKEN);
    const isMini = isStream && size < cutoff;
    (isMini ? checkMini : check)(directory.readUInt32LE(start + 116));
    return isStream ? [left!, right!] : [left!, right!, child!];
  });
  if (!isTree) throw new Unreadable(BROKEN);
}

const BROKEN = "It is broken: its parts are larger than the file or refer to each other without end.";

function openOle(bytes: Uint8Array): OleFile | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // Sectors have 512 bytes, or 4,096 from version 4 on.
  const shift = file.length < 512 ? 0 : file.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return undefined;
  const sector_bytes = 2 ** shift;
  const sectors = Math.ceil(file.length / sector_bytes);
  const next = createNext(file, sector_bytes, listFatSectors(file, sector_bytes, sectors));
  const directory: Buffer[] = [];
  for (let sector = file.readUInt32LE(48); sector < MARKS && directory.length < sectors; ) {
    const place = (sector + 1) * sector_bytes;
    if (place >= file.length) break;
    directory.push(file.subarray(place, place + sector_bytes));
    sector = next(sector);
  }
  return { file, sectors, next, directory: Buffer.concat(directory) };
}

/** The successor of each sector, by the allocation table in these sectors. */
function createNext(file: Buffer, sector_bytes: number, table: readonly number[]): NextSector {
  const per_sector = sector_bytes / 4;
  return (sector) => {
    const place = ((table[Math.floor(sector / per_sector)] ?? MARKS) + 1) * sector_bytes;
    const at = place + (sector % per_sector) * 4;
    return at + 4 <= file.length ? file.readUInt32LE(at) : MARKS;
  };
}

/** The sectors of the allocation table: the first 109 are in the header, which is enough for files of 6 MiB and more. */
function listFatSectors(file: Buffer, sector_bytes: number, max: number): number[] {
  const sectors: number[] = [];
  for (let at = 76; at < 512; at += 4) sectors.push(file.readUInt32LE(at));
  const last = sector_bytes - 4;
  let more = file.readUInt32LE(68);
  while (more < MARKS && sectors.length <= max + 109) {
    const at = (more + 1) * sector_bytes;
    if (at + sector_bytes > file.length) break;
    for (let each = 0; each < last; each += 4) sectors.push(file.readUInt32LE(at + each));
    more = file.readUInt32LE(at + last);
  }
  return sectors;
}

/** Creates a check that follows a chain to its end and returns it; memoizes sectors that are known to end. */
function createChainCheck(next: NextSector, max: number): (start: number) => number[] {
  const ended = new Set<number>();
  return (start) => {
    const chain: number[] = [];
    const own = new Set<number>();
    for (let sector = start; sector < max; sector = next(sector)) {
      if (own.has(sector)) throw new Unreadable(BROKEN);
      if (ended.has(sector)) break;
      own.add(sector);
      chain.push(sector);
    }
    for (const sector of own) ended.add(sector);
    return chain;
  };
}

/**
 * Visits the entries, and those that `visit` returns. Returns whether each entry was referenced only once, as in a
 * tree.
 */
function walkEntries(
  directory: Buffer,
  first: readonly number[],
  visit: (start: number) => readonly number[],
): boolean {
  const seen = new Set<number>();
  const waiting = [...first];
  let isTree = true;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const start = at * ENTRY_BYTES;
    if (at === NONE || start + ENTRY_BYTES > directory.length) continue;
    if (seen.has(at)) isTree = false;
    else {
      seen.add(at);
      waiting.push(...visit(start));
    }
  }
  return isTree;
}
