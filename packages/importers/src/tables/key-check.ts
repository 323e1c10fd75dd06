import type { RowItem } from "./row-item.ts";

/** How many characters of keys are remembered; more would take too much memory. */
const KEYS_MAX_CHARS = 32 * 1024 ** 2;

/** Rejects a row whose key an earlier row has: it would replace that row without a word. */
export function createKeyCheck(): { check(item: RowItem): RowItem; readonly is_full: boolean } {
  const seen = new Set<string>();
  let chars = 0;
  return {
    check(item) {
      if (item.kind === "rejected") return item;
      const key = JSON.stringify(item.key);
      if (seen.has(key)) return { kind: "rejected", reason: "An earlier row has the same key." };
      if (chars < KEYS_MAX_CHARS) {
        seen.add(key);
        chars += key.length;
      }
      return item;
    },
    get is_full() {
      return chars >= KEYS_MAX_CHARS;
    },
  };
}
