import { createFileSet } from "./file-set.ts";
import type { Files } from "./files.ts";

/** Files held in memory, by path. */
export function createMemoryFiles(
  name: string,
  contents: Readonly<Record<string, string | Uint8Array>>,
): Files {
  const sources = Object.entries(contents).map(([path, content]) => {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    return {
      path,
      size_bytes: bytes.length,
      is_seekable: true,
      async *read(from_bytes: number) {
        yield bytes.subarray(from_bytes);
      },
    };
  });
  return createFileSet({ name, sources });
}
