import { buffer } from "node:stream/consumers";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { Unreadable } from "./unreadable.ts";

const MAX_ENTRIES = 10_000;

/** The selected members of a zipped document, at most `max_bytes` together. */
export async function readZipMembers(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
  max_bytes: number,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const parts = new Map<string, Uint8Array>();
  let left_bytes = max_bytes;
  let entries = 0;
  for await (const entry of zip.eachEntry()) {
    entries += 1;
    if (entries > MAX_ENTRIES) throw new Unreadable(`It has more than ${MAX_ENTRIES} parts.`);
    if (!isWanted(entry.fileName)) continue;
    if (entry.isEncrypted()) throw new Unreadable("It is protected by a password.");
    left_bytes -= entry.uncompressedSize;
    if (left_bytes < 0) throw new Unreadable(`It unpacks to more than ${max_bytes} bytes.`);
    parts.set(entry.fileName, await readPart(zip, entry));
  }
  return parts;
}

/** yauzl enforces the declared size of an entry. */
async function readPart(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  return buffer(await zip.openReadStreamPromise(entry));
}
