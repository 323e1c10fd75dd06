/** Makes the program loop forever on an item that says so. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes a module to preload into the program; returns its path. */
export function writeLooping(folder: string): string {
  const file = join(folder, "looping.mjs");
  writeFileSync(
    file,
    `if (/main\\.[tj]s$/.test(process.argv[1])) {
    const parse = JSON.parse;
    JSON.parse = (text, ...rest) => {
      if (/^\\s*\\{[^]*read for ever/.test(text)) for (;;);
      return parse(text, ...rest);
    };
  }`,
  );
  return file;
}
