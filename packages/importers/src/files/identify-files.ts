import { createHash } from "node:crypto";
import type { Files } from "./files.ts";

/** A digest that stays the same while no file comes, goes or changes, as far as names, sizes and times tell. */
export async function identifyFiles(files: Files): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(files.name));
  for await (const { path, size_bytes, modified_at } of files.list()) {
    hash.update(JSON.stringify([path, size_bytes, modified_at ?? null]));
  }
  return hash.digest("hex");
}
