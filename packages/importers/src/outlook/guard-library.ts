/** Bounds that pst-extractor lacks: without them, a broken data file keeps it in a loop until its process is killed. */
import { PSTFile } from "pst-extractor";
import { PSTNodeInputStream } from "pst-extractor/dist/PSTNodeInputStream.class.js";
import { PSTTable } from "pst-extractor/dist/PSTTable.class.js";

/** The most reads of one tree lookup. A tree of eight levels with full pages needs a few thousand. */
const LOOKUP_READS_MAX = 10_000;

interface TableInternals {
  readonly sizeOfItemKey?: number;
  readonly sizeOfItemValue?: number;
  getNodeInfo(node: number): unknown;
}

interface FileInternals {
  readSync(buffer: Buffer, length: number, position: number): number;
  findBtreeItem(index: unknown, isDescriptor: boolean): Buffer;
}

/** Patches the library in this process. */
export function guardLibrary(): void {
  const stream = PSTNodeInputStream.prototype;
  const { readFromOffset } = stream;
  // At the end of a block shorter than declared, the library would read nothing forever.
  stream.readFromOffset = function (output, offset, length) {
    const read = readFromOffset.call(this, output, offset, length);
    return read > 0 ? read : -1;
  };
  const table = PSTTable.prototype as unknown as TableInternals;
  const { getNodeInfo } = table;
  // A table whose entries have no size has an infinite number of them.
  table.getNodeInfo = function (node) {
    if (this.sizeOfItemKey === 0 && this.sizeOfItemValue === 0) throw new Error("A table has empty entries.");
    return getNodeInfo.call(this, node);
  };
  const file = PSTFile.prototype as unknown as FileInternals;
  const { readSync, findBtreeItem } = file;
  let left = Number.POSITIVE_INFINITY;
  file.readSync = function (buffer, length, position) {
    left -= 1;
    if (left < 0) throw new Error("A tree of the data file is a cycle.");
    return readSync.call(this, buffer, length, position);
  };
  file.findBtreeItem = function (index, isDescriptor) {
    left = LOOKUP_READS_MAX;
    try {
      return findBtreeItem.call(this, index, isDescriptor);
    } finally {
      left = Number.POSITIVE_INFINITY;
    }
  };
}
