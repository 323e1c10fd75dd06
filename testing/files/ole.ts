/** OLE2 compound files ([MS-CFB]) for tests: Word documents and Outlook messages. */

/** A storage: streams by name, and storages inside it. */
interface FixtureStorage {
  readonly [name: string]: Uint8Array | FixtureStorage;
}

const SECTOR = 512;
const MINI = 64;
const END = 0xffff_fffe;
const NONE = 0xffff_ffff;
const CUTOFF = 4096;

interface Entry {
  readonly name: string;
  readonly type: 1 | 2 | 5;
  readonly bytes: Uint8Array;
  child: number;
  right: number;
  start: number;
}

/** Writes a compound file of version 3. Siblings are a list instead of a balanced tree, which readers accept. */
function makeOle(root: FixtureStorage): Uint8Array {
  const entries: Entry[] = [];
  const add = (name: string, type: Entry["type"], bytes: Uint8Array): Entry => {
    const entry: Entry = { name, type, bytes, child: NONE, right: NONE, start: END };
    entries.push(entry);
    return entry;
  };
  const fill = (parent: Entry, storage: FixtureStorage): void => {
    let last: Entry | undefined;
    for (const [name, content] of Object.entries(storage)) {
      const at = entries.length;
      const isStream = content instanceof Uint8Array;
      const entry = add(name, isStream ? 2 : 1, isStream ? content : new Uint8Array());
      if (last) last.right = at;
      else parent.child = at;
      last = entry;
      if (!isStream) fill(entry, content);
    }
  };
  const top = add("Root Entry", 5, new Uint8Array());
  fill(top, root);

  const sectors: Buffer[] = [];
  const fat: number[] = [];
  const place = (bytes: Uint8Array): number => {
    const start = sectors.length;
    for (let at = 0; at < bytes.length; at += SECTOR) {
      sectors.push(
        Buffer.concat([bytes.subarray(at, at + SECTOR), Buffer.alloc(SECTOR)]).subarray(0, SECTOR),
      );
      fat.push(at + SECTOR < bytes.length ? sectors.length : END);
    }
    return bytes.length === 0 ? END : start;
  };
  const mini: Buffer[] = [];
  const mini_fat: number[] = [];
  for (const entry of entries.filter(({ type, bytes }) => type === 2 && bytes.length > 0)) {
    if (entry.bytes.length >= CUTOFF) entry.start = place(entry.bytes);
    else {
      entry.start = mini.length;
      for (let at = 0; at < entry.bytes.length; at += MINI) {
        mini.push(Buffer.concat([entry.bytes.subarray(at, at + MINI), Buffer.alloc(MINI)]).subarray(0, MINI));
        mini_fat.push(at + MINI < entry.bytes.length ? mini.length : END);
      }
    }
  }
  const mini_bytes = Buffer.concat(mini);
  top.start = place(mini_bytes);
  const mini_start = place(words(mini_fat));
  const directory = Buffer.concat(entries.map((entry) => writeEntry(entry, mini_bytes.length)));
  const directory_start = place(directory);
  // The table also describes its own sectors.
  const fat_count = Math.ceil((sectors.length + 1) / (SECTOR / 4 - 1));
  const fat_start = sectors.length;
  for (let at = 0; at < fat_count; at += 1) fat.push(0xffff_fffd);
  const table = Buffer.alloc(fat_count * SECTOR, 0xff);
  words(fat).copy(table);
  const header = writeHeader({
    directory_start,
    mini_start,
    mini_count: Math.ceil(mini_fat.length / 128),
    fat_start,
    fat_count,
  });
  return Buffer.concat([header, ...sectors, table]);
}

function words(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [at, number] of numbers.entries()) bytes.writeUInt32LE(number, at * 4);
  return bytes;
}

function writeEntry({ name, type, bytes, child, right, start }: Entry, mini_bytes: number): Buffer {
  const entry = Buffer.alloc(128);
  entry.write(name, 0, "utf16le");
  entry.writeUInt16LE((name.length + 1) * 2, 64);
  entry.set([type, 1], 66);
  entry.writeUInt32LE(NONE, 68);
  entry.writeUInt32LE(right, 72);
  entry.writeUInt32LE(child, 76);
  entry.writeUInt32LE(start, 116);
  entry.writeUInt32LE(type === 5 ? mini_bytes : bytes.length, 120);
  return entry;
}

function writeHeader(
  facts: Readonly<
    Record<"directory_start" | "mini_start" | "mini_count" | "fat_start" | "fat_count", number>
  >,
): Buffer {
  const header = Buffer.alloc(SECTOR);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(header);
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(facts.fat_count, 44);
  header.writeUInt32LE(facts.directory_start, 48);
  header.writeUInt32LE(CUTOFF, 56);
  header.writeUInt32LE(facts.mini_start, 60);
  header.writeUInt32LE(facts.mini_count, 64);
  header.writeUInt32LE(END, 68);
  header.fill(0xff, 76);
  for (let at = 0; at < facts.fat_count; at += 1) header.writeUInt32LE(facts.fat_start + at, 76 + at * 4);
  return header;
}

/** Writes a Word document of 1997 ([MS-DOC]): one piece of text, without formatting. */
export function makeDoc(text: string): Uint8Array {
  const body = Buffer.from(`${text.replaceAll("\n", "\r")}\r`, "utf16le");
  const length = body.length / 2;
  const document = Buffer.alloc(1536 + body.length);
  document.writeUInt16LE(0xa5ec, 0);
  document.writeUInt16LE(0xc1, 2);
  document.writeUInt16LE(0x0200, 10);
  document.writeUInt16LE(14, 32);
  document.writeUInt16LE(22, 62);
  document.writeUInt32LE(length, 76);
  document.writeUInt16LE(93, 152);
  // The table of pieces: from character 0 to the end, at this place, in UTF-16.
  const pieces = Buffer.alloc(5 + 16);
  pieces[0] = 2;
  pieces.writeUInt32LE(16, 1);
  pieces.writeUInt32LE(length, 9);
  pieces.writeUInt32LE(1536, 15);
  document.writeUInt32LE(pieces.length, 0x1a6);
  body.copy(document, 1536);
  return makeOle({ WordDocument: document, "1Table": pieces });
}

/** Properties of a message, a recipient or an attachment by tag: `0037001F` is a subject. */
export type FixtureProperties = Readonly<Record<string, string | number | Date | Uint8Array>>;

/** A message of Outlook, with its recipients and attachments. */
export interface FixtureMsg {
  readonly properties: FixtureProperties;
  readonly recipients?: readonly FixtureProperties[];
  readonly attachments?: readonly FixtureProperties[];
}

/** Writes an MSG file ([MS-OXMSG]). */
export function makeMsg({ properties, recipients = [], attachments = [] }: FixtureMsg): Uint8Array {
  const number = (at: number) => at.toString(16).toUpperCase().padStart(8, "0");
  const list = (name: string, items: readonly FixtureProperties[]) =>
    items.map((item, at) => [`__${name}_version1.0_#${number(at)}`, writeProperties(item, Buffer.alloc(8))]);
  const header = Buffer.alloc(32);
  for (const [at, count] of [recipients.length, attachments.length].entries()) {
    header.writeUInt32LE(count, 8 + at * 4);
    header.writeUInt32LE(count, 16 + at * 4);
  }
  return makeOle({
    "__nameid_version1.0": {
      "__substg1.0_00020102": new Uint8Array(),
      "__substg1.0_00030102": new Uint8Array(),
      "__substg1.0_00040102": new Uint8Array(),
    },
    ...writeProperties(properties, header),
    ...Object.fromEntries([...list("recip", recipients), ...list("attach", attachments)]),
  });
}

/** Seconds between 1601, where times of Windows begin, and 1970. */
const WINDOWS_EPOCH_S = 11_644_473_600;

/** A time as Windows counts it, in steps of 100 nanoseconds. */
export function toWindowsTime(time: Date): bigint {
  return (BigInt(time.getTime()) + BigInt(WINDOWS_EPOCH_S) * 1000n) * 10_000n;
}

function writeProperties(properties: FixtureProperties, header: Buffer): FixtureStorage {
  const streams: Record<string, Uint8Array> = {};
  const rows = Object.entries(properties).map(([tag, value]) => {
    const row = Buffer.alloc(16);
    row.writeUInt32LE(Number.parseInt(tag, 16), 0);
    row.writeUInt32LE(6, 4);
    if (typeof value === "number") row.writeUInt32LE(value, 8);
    else if (value instanceof Date) row.writeBigUInt64LE(toWindowsTime(value), 8);
    else {
      const bytes = typeof value === "string" ? Buffer.from(value, "utf16le") : value;
      streams[`__substg1.0_${tag}`] = bytes;
      row.writeUInt32LE(bytes.length + (typeof value === "string" ? 2 : 0), 8);
    }
    return row;
  });
  return { "__properties_version1.0": Buffer.concat([header, ...rows]), ...streams };
}
