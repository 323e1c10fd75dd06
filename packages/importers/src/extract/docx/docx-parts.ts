/** Finds the parts of a Word document by their relationships (ECMA-376 part 2, §9.3), whatever their names. */
import { posix } from "node:path";
import type { Parts } from "../package-parts.ts";
import { Unreadable } from "../unreadable.ts";
import { walkWordXml } from "./word-xml.ts";

/** The parts that hold text, and what the text needs. */
export interface DocxParts {
  readonly main: Uint8Array;
  /** The parts of one type, such as `header`, in the order of their names. */
  list(type: string): readonly Uint8Array[];
  /** The addresses that the document links to. */
  readonly links: readonly string[];
}

interface Relationship {
  /** The last segment of its type: `officeDocument`, `footnotes`. */
  readonly type: string;
  readonly target: string;
  readonly is_external: boolean;
}

const MAX_LINKS = 1000;
const MAX_LINK_CHARS = 2048;

/** Finds the parts; throws for a document without a body. */
export function findDocxParts(parts: Parts): DocxParts {
  const root = readRelationships(parts, "").find(({ type }) => type === "officeDocument");
  const path = root?.target ?? "word/document.xml";
  const main = parts.get(path);
  if (!main) throw new Unreadable("It has no body.");
  const related = readRelationships(parts, path);
  const folder = posix.dirname(path);
  const links = related.filter(({ type, is_external }) => type === "hyperlink" && is_external);
  return {
    main,
    list(type) {
      const named = related.filter((each) => each.type === type && !each.is_external);
      // Programs that write no relationships use the usual names.
      const paths = related.length > 0 ? named.map(({ target }) => target) : listNamed(parts, folder, type);
      return [...new Set(paths)].sort().flatMap((each) => parts.get(each) ?? []);
    },
    links: [...new Set(links.map(({ target }) => target))]
      .filter((target) => target.length <= MAX_LINK_CHARS)
      .slice(0, MAX_LINKS),
  };
}

function listNamed(parts: Parts, folder: string, type: string): string[] {
  const name = new RegExp(`^${type}\\d*\\.xml$`);
  return [...parts.keys()].filter(
    (path) => posix.dirname(path) === folder && name.test(posix.basename(path)),
  );
}

/** The relationships of a part; of the package, if the path is empty. */
function readRelationships(parts: Parts, path: string): Relationship[] {
  const found: Relationship[] = [];
  const folder = posix.dirname(path);
  const part = parts.get(posix.join(folder, "_rels", `${posix.basename(path)}.rels`));
  if (!part) return found;
  walkWordXml(part, {
    open(name, attribute) {
      const [type = "", target = ""] = [attribute("Type"), attribute("Target")];
      if (name !== "Relationship" || target === "") return;
      const is_external = attribute("TargetMode") === "External";
      const inside = target.startsWith("/") ? target.slice(1) : posix.join(folder, target);
      found.push({ type: posix.basename(type), target: is_external ? target : inside, is_external });
    },
  });
  return found;
}
