import { posix } from "node:path";

/** The files of a folder that its notes link to. */
export interface References {
  /** Adds the links of the note at `path`. */
  add(path: string, links: readonly string[]): void;
  has(path: string): boolean;
}

/** Creates an empty set. A link is a path relative to its note or to the root, or a bare name, as Obsidian writes it. */
export function createReferences(): References {
  const named = new Set<string>();
  return {
    add(path, links) {
      for (const link of links) {
        const target = decode(link.replace(/[#?].*$/, ""));
        if (target === "" || /^[a-z][a-z0-9+.-]*:/i.test(target)) continue;
        named.add(posix.normalize(posix.join(posix.dirname(path), target)));
        named.add(posix.normalize(target).replace(/^\/+/, ""));
      }
    },
    has: (path) => named.has(path) || named.has(posix.basename(path)),
  };
}

function decode(link: string): string {
  try {
    return decodeURIComponent(link);
  } catch {
    return link;
  }
}
