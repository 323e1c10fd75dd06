/** A decompressed copy of a file, because compressed bytes cannot be read from an offset. */
import { mkdtemp, open, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiError } from "@rungs/contract";
import { requireSafeSize, type ZipLimits, zipLimits } from "./zip-limits.ts";

/** Unpacked bytes on disk, which only this process can read. */
export interface Spool {
  readonly size_bytes: number;
  /** Why the bytes end early; undefined if they are whole. */
  readonly problem?: string | undefined;
  read(from_bytes: number, to_bytes: number): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

const CHUNK_BYTES = 256 * 1024;
/** How often the free space is checked, and how much of it stays free. */
const CHECK_BYTES = 64 * 1024 ** 2;
const FREE_BYTES = 512 * 1024 ** 2;

/** Writes bytes to a temporary file, within the limits of archives. What comes before damaged bytes is kept. */
export async function spool(
  bytes: AsyncIterable<Uint8Array>,
  { name, archive_bytes }: { readonly name: string; readonly archive_bytes: number },
  limits: ZipLimits = zipLimits,
): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), "rungs-import-"));
  const file = await open(join(folder, "unpacked"), "wx+", 0o600);
  // Unlinked, the file disappears when the process ends, however it ends. Windows removes it only when it is closed.
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  const close = async (): Promise<void> => {
    await file.close();
    await rm(folder, { recursive: true, force: true });
  };
  let size_bytes = 0;
  let checked_bytes = -CHECK_BYTES;
  let problem: string | undefined;
  try {
    for await (const chunk of withProblem(bytes, (found) => {
      problem = found;
    })) {
      requireSafeSize({ name, archive_bytes, total_bytes: size_bytes + chunk.length, entries: 1 }, limits);
      if (size_bytes - checked_bytes >= CHECK_BYTES) {
        checked_bytes = size_bytes;
        await requireSpace(name);
      }
      await file.write(chunk, 0, chunk.length, size_bytes);
      size_bytes += chunk.length;
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    size_bytes,
    problem,
    close,
    async *read(from_bytes, to_bytes) {
      const end = Math.min(to_bytes, size_bytes);
      for (let at = from_bytes; at < end; ) {
        const wanted = Math.min(CHUNK_BYTES, end - at);
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(wanted), { position: at });
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    },
  };
}

/** Stops at damaged bytes; throws if not even the first byte is readable. */
async function* withProblem(
  bytes: AsyncIterable<Uint8Array>,
  onProblem: (problem: string) => void,
): AsyncGenerator<Uint8Array> {
  let isBegun = false;
  const iterator = bytes[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => {
        if (!isBegun || (error instanceof ApiError && error.code !== "file_unreadable")) throw error;
        onProblem(error instanceof Error ? error.message : String(error));
      });
      if (!next || next.done) return;
      isBegun = true;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

async function requireSpace(name: string): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir());
  if (bavail * bsize > CHECK_BYTES + FREE_BYTES) return;
  throw new ApiError("archive_refused", {
    message: `${name} is refused: the disk has no room to unpack it in ${tmpdir()}.`,
    next: "Free some space, or set TMPDIR to a folder on a larger disk.",
  });
}
