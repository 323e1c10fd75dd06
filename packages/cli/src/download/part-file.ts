/** Files that appear under their name only when they are whole. */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { UsageError } from "../command/exit.ts";

/** What is on its way to `file`. */
export interface PartFile {
  /** How many bytes a former try has left; 0 when there was none. */
  readonly left_bytes: number;
  /** Writes bytes behind those that are there, or in their place. */
  write(bytes: AsyncIterable<Uint8Array | string>, how: "append" | "replace"): Promise<void>;
  /** The SHA-256 of all that is there. */
  digest(): Promise<string>;
  /** Gives the file its name. */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** Opens `file.part`, which only its owner may read; it stays when the work breaks off, so that a later try can go on. */
export async function openPartFile(file: string): Promise<PartFile> {
  const part = `${file}.part`;
  await requirePlace(file);
  const left_bytes = (await stat(part).catch(() => undefined))?.size ?? 0;
  return {
    left_bytes,
    async write(bytes, how) {
      const flags = how === "append" ? "a" : "w";
      await pipeline(bytes, createWriteStream(part, { flags, mode: 0o600 }));
    },
    async digest() {
      const hash = createHash("sha256");
      await pipeline(createReadStream(part), hash);
      return hash.digest("hex");
    },
    finish: () => rename(part, file),
    discard: () => rm(part, { force: true }),
  };
}

/** A device or a pipe would be replaced by the file that gets its name. */
async function requirePlace(file: string): Promise<void> {
  const [there, folder] = await Promise.all(
    [file, dirname(file)].map((path) => stat(path).catch(() => undefined)),
  );
  if (there?.isDirectory()) throw new UsageError(`${file} is a folder; --output takes a file.`);
  if (there && !there.isFile()) throw new UsageError(`${file} is no ordinary file; --output takes one.`);
  if (!folder?.isDirectory())
    throw new UsageError(`There is no folder ${dirname(file)} to write ${file} into.`);
}
