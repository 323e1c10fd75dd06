/**
 * Outlook data files ([MS-PST], the form of 2003 for Unicode) for tests. Checksums stay zero: mail readers ignore them.
 */
import type { FixtureMsg, FixtureProperties } from "./ole.ts";
import { writeProperties, writeTable } from "./pst-heap.ts";

/** A folder with its messages, in the form for MSG files. */
export interface FixtureFolder {
  readonly name: string;
  readonly messages: readonly FixtureMsg[];
}

const NAMES_NODE = 0x61;
const ROOT_FOLDER = 0x122;
const TOP_FOLDER = 0x7fe2;
const RECIPIENTS = 0x692;
const ATTACHMENTS = 0x671;
/** The kinds of nodes, in the lowest five bits of their numbers. */
const [FOLDER, MESSAGE, ATTACHMENT] = [0x02, 0x04, 0x05];
/** The offsets of the tables of folders and messages from the number of their folder. */
const [HIERARCHY, CONTENTS] = [11, 12];

interface Node {
  readonly nid: number;
  readonly bid: number;
  readonly sub: number;
  readonly parent: number;
}

interface Block {
  readonly bid: number;
  readonly bytes: Buffer;
}

/** Writes a data file of folders, below the root folder. */
export function makePst(folders: readonly FixtureFolder[]): Buffer {
  const nodes: Node[] = [];
  const blocks: Block[] = [];
  const addBlock = (bytes: Buffer, is_internal = false): number => {
    const bid = (blocks.length + 1) * 4 + (is_internal ? 2 : 0);
    blocks.push({ bid, bytes });
    return bid;
  };
  const addNode = (nid: number, bytes: Buffer, { parent = 0, sub = 0 } = {}): void => {
    nodes.push({ nid, bid: addBlock(bytes), sub, parent });
  };
  const addFolder = (nid: number, name: string, parent: number, inside: Inside): void => {
    const { folders: inner, messages } = inside;
    addNode(nid, writeProperties({ "3001001F": name, "36020003": messages.length, "3603000B": 0 }), {
      parent,
    });
    addNode(nid + HIERARCHY, writeTable(inner.map((id) => ({ id, values: {} }))));
    addNode(nid + CONTENTS, writeTable(messages.map((id) => ({ id, values: {} }))));
  };
  addNode(
    NAMES_NODE,
    writeProperties({
      "00020102": Buffer.alloc(16),
      "00030102": Buffer.alloc(8),
      "00040102": Buffer.alloc(4),
    }),
  );
  const folder_ids = folders.map((_, at) => ((0x400 + at) << 5) | FOLDER);
  let messages = 0x10000;
  addFolder(ROOT_FOLDER, "", ROOT_FOLDER, { folders: [TOP_FOLDER], messages: [] });
  addFolder(TOP_FOLDER, "Top of Outlook data file", ROOT_FOLDER, { folders: folder_ids, messages: [] });
  for (const [at, { name, messages: mails }] of folders.entries()) {
    const ids = mails.map(() => (messages++ << 5) | MESSAGE);
    addFolder(folder_ids[at]!, name, TOP_FOLDER, { folders: [], messages: ids });
    for (const [number, mail] of mails.entries())
      addNode(ids[number]!, writeProperties(mail.properties), {
        parent: folder_ids[at]!,
        sub: addSubnodes(mail, addBlock),
      });
  }
  return assemble(nodes, blocks);
}

interface Inside {
  readonly folders: readonly number[];
  readonly messages: readonly number[];
}

type AddBlock = (bytes: Buffer, is_internal?: boolean) => number;

/** The recipients and attachments of a message; 0 if it has none. */
function addSubnodes({ recipients = [], attachments = [] }: FixtureMsg, addBlock: AddBlock): number {
  const files = attachments.map((properties, at) => ({ id: ((at + 1) << 5) | ATTACHMENT, properties }));
  const table = (rows: readonly { id: number; values: FixtureProperties }[]) => addBlock(writeTable(rows));
  const subnodes = [
    ...(files.length > 0 ? [[ATTACHMENTS, table(files.map(({ id }) => ({ id, values: {} })))] as const] : []),
    ...(recipients.length > 0
      ? [[RECIPIENTS, table(recipients.map((values, id) => ({ id, values })))] as const]
      : []),
    ...files.map(({ id, properties }) => [id, addBlock(writeProperties(properties))] as const),
  ].toSorted(([a], [b]) => a - b);
  if (subnodes.length === 0) return 0;
  const list = Buffer.alloc(8 + 24 * subnodes.length);
  list[0] = 2;
  list.writeUInt16LE(subnodes.length, 2);
  for (const [at, [nid, bid]] of subnodes.entries()) {
    list.writeUInt32LE(nid, 8 + at * 24);
    list.writeUInt32LE(bid, 16 + at * 24);
  }
  return addBlock(list, true);
}

const PAGE = 512;
const BLOCK_UNIT = 64;
const BLOCK_TRAILER = 16;

function assemble(nodes: readonly Node[], blocks: readonly Block[]): Buffer {
  const parts: Buffer[] = [Buffer.alloc(1024)];
  let end = parts[0]!.length;
  const place = (bytes: Buffer, unit: number): number => {
    const at = Math.ceil(end / unit) * unit;
    parts.push(Buffer.alloc(at - end), bytes);
    end = at + bytes.length;
    return at;
  };
  const placed = blocks.map(({ bid, bytes }) => ({
    bid,
    size: bytes.length,
    at: place(Buffer.concat([bytes, Buffer.alloc(BLOCK_TRAILER)]), BLOCK_UNIT),
  }));
  const placePage = (page: Buffer) => place(page, PAGE);
  const node_tree = writeTree(0x81, nodes.toSorted((a, b) => a.nid - b.nid).map(writeNode), placePage);
  const block_tree = writeTree(0x80, placed.toSorted((a, b) => a.bid - b.bid).map(writePlace), placePage);
  const header = parts[0]!;
  header.write("!BDN", 0, "latin1");
  header.write("SM", 8, "latin1");
  header.writeUInt16LE(23, 10);
  header.writeUInt16LE(19, 12);
  header.set([1, 1], 14);
  header.writeBigUInt64LE(BigInt(end), 184);
  header.writeBigUInt64LE(BigInt(node_tree), 224);
  header.writeBigUInt64LE(BigInt(block_tree), 240);
  header[512] = 0x80;
  return Buffer.concat(parts);
}

function writeNode({ nid, bid, sub, parent }: Node): Buffer {
  const entry = Buffer.alloc(32);
  entry.writeUInt32LE(nid, 0);
  entry.writeUInt32LE(bid, 8);
  entry.writeUInt32LE(sub, 16);
  entry.writeUInt32LE(parent, 24);
  return entry;
}

function writePlace({
  bid,
  at,
  size,
}: {
  readonly bid: number;
  readonly at: number;
  readonly size: number;
}): Buffer {
  const entry = Buffer.alloc(24);
  entry.writeUInt32LE(bid, 0);
  entry.writeUInt32LE(at, 8);
  entry.writeUInt16LE(size, 16);
  entry.writeUInt16LE(2, 18);
  return entry;
}

const ENTRY_BYTES = 488;

/** Writes the pages of a B-tree from its leaves up; returns the place of its root. */
function writeTree(type: number, leaves: readonly Buffer[], place: (page: Buffer) => number): number {
  let entries = leaves;
  for (let level = 0; ; level += 1) {
    const size = entries[0]!.length;
    const count = Math.floor(ENTRY_BYTES / size);
    const above: Buffer[] = [];
    for (let from = 0; from < entries.length; from += count) {
      const inside = entries.slice(from, from + count);
      const page = Buffer.alloc(PAGE);
      Buffer.concat(inside).copy(page);
      page.set([inside.length, count, size, level], ENTRY_BYTES);
      page.set([type, type], 496);
      const branch = Buffer.alloc(24);
      inside[0]!.copy(branch, 0, 0, 8);
      branch.writeUInt32LE(place(page), 16);
      above.push(branch);
    }
    if (above.length === 1) return above[0]!.readUInt32LE(16);
    entries = above;
  }
}
