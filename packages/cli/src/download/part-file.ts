/** Downloads into `FILE.part`, which gets its final name when it is complete. */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { ServerUnreachable } from "@rungs/client";
import { CodedError } from "@rungs/evidence";
import { BrokenOff, UsageError } from "../command/exit.ts";

/** An incomplete file. */
export interface PartFile {
  /** How many bytes an earlier attempt left; 0 if there was none. */
  readonly left_bytes: number;
  write(bytes: AsyncIterable<Uint8Array | string>, mode: "append" | "replace"): Promise<void>;
  /** The SHA-256 of the bytes written so far. */
  digest(): Promise<string>;
  /** Renames the part file to its final name. */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** Opens `file.part`, which only its owner may read. It survives an interruption, so that a retry can resume. */
export async function openPartFile(file: string): Promise<PartFile> {
  const part = `${file}.part`;
  await requireWritablePlace(file);
  const left_bytes = (await stat(part).catch(() => undefined))?.size ?? 0;
  return {
    left_bytes,
    async write(bytes, mode) {
      const flags = mode === "append" ? "a" : "w";
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

/** Renaming onto a device or a pipe would replace it, so refuse anything but a regular file. */
async function requireWritablePlace(file: string): Promise<void> {
  const [existing, folder] = await Promise.all(
    [file, dirname(file)].map((path) => stat(path).catch(() => undefined)),
  );
  if (existing?.isDirectory()) throw new UsageError(`${file} is a folder; --output takes a file.`);
  if (existing && !existing.isFile())
    throw new UsageError(`${file} is not a regular file; --output takes one.`);
  if (!folder?.isDirectory())
    throw new UsageError(`There is no folder ${dirname(file)} to write ${file} into.`);
}

/** Yields what arrives. A broken connection becomes a `BrokenOff` with the sentence that `describe` returns. */
export async function* reportBreak<T>(items: AsyncIterable<T>, describe: () => string): AsyncGenerator<T> {
  let hasBegun = false;
  try {
    for await (const item of items) {
      hasBegun = true;
      yield item;
    }
  } catch (error) {
    const isBroken = (code: string) =>
      code === "internal_error" || (code === "unexpected_answer" && hasBegun);
    const isRefusal = error instanceof CodedError && !isBroken(error.code);
    if (isRefusal || error instanceof ServerUnreachable) throw error;
    throw new BrokenOff(describe(), { cause: error });
  }
}
