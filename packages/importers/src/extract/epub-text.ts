import { posix } from "node:path";
import { cleanText } from "../clean-text.ts";
import { decodeText } from "./decode-text.ts";
import type { Extraction } from "./extraction.ts";
import { htmlToText } from "./html-text.ts";
import { joinPages } from "./join-pages.ts";
import type { ExtractionLimits } from "./limits.ts";
import { type Parts, readPartXml } from "./package-parts.ts";
import { Unreadable } from "./unreadable.ts";
import { readZipMembers } from "./zip-members.ts";

const WANTED = /^META-INF\/(?:container|encryption)\.xml$|\.(?:opf|x?html?|htm)$/i;

/** The text of a book (EPUB 3.3): title and authors, then its chapters in reading order; a page is a chapter. */
export async function extractEpub(bytes: Uint8Array, limits: ExtractionLimits): Promise<Extraction> {
  const parts = await readZipMembers(bytes, (name) => WANTED.test(name), limits.unpacked_bytes);
  const book = await readPackage(parts, await findPackage(parts));
  const chapters: string[] = [];
  let unread = 0;
  for (const path of book.chapters.slice(0, limits.pages)) {
    const page = parts.get(path);
    if (page) chapters.push(htmlToText(cleanText(decodeText(page))).text);
    else unread += 1;
  }
  const head = [book.title, book.authors.join(", ")].filter((line) => line !== "").join("\n");
  // A chapter that is locked does not read as text.
  const isLocked = parts.has("META-INF/encryption.xml") && chapters.every((text) => text.includes("\ufffd"));
  if (isLocked && chapters.length > 0) throw new Unreadable("It is protected against copying.");
  const [first = "", ...others] = chapters.filter((text) => text !== "");
  return {
    kind: "text",
    ...joinPages([[head, first].filter((text) => text !== "").join("\n\n"), ...others]),
    ...(book.title === "" ? {} : { title: book.title }),
    ...(unread === 0 ? {} : { missing: `${unread} of its chapters are missing from the file.` }),
    ...(book.chapters.length > limits.pages ? { cut: "pages" } : {}),
  };
}

/** The path of the part that lists the others. */
async function findPackage(parts: Parts): Promise<string> {
  let path: string | undefined;
  await readPartXml(parts, "META-INF/container.xml", {
    open(name, attributes) {
      if (name === "rootfile") path ??= attributes["full-path"];
    },
  });
  path ??= [...parts.keys()].find((name) => /\.opf$/i.test(name));
  if (path === undefined) throw new Unreadable("It has no list of its chapters.");
  return path;
}

interface Book {
  readonly title: string;
  readonly authors: readonly string[];
  /** The paths of its chapters in reading order. */
  readonly chapters: readonly string[];
}

async function readPackage(parts: Parts, path: string): Promise<Book> {
  const folder = posix.dirname(path);
  const items = new Map<string, string>();
  const spine: string[] = [];
  const texts: Record<"title" | "creator", string[]> = { title: [], creator: [] };
  let [text, is_metadata] = ["", false];
  await readPartXml(parts, path, {
    open(name, { id = "", href = "", idref = "" }) {
      text = "";
      if (name === "metadata") is_metadata = true;
      if (name === "item") items.set(id, posix.join(folder, decodeHref(href)));
      if (name === "itemref") spine.push(idref);
    },
    text(piece) {
      if (is_metadata) text += piece;
    },
    close(name) {
      if (name === "metadata") is_metadata = false;
      if (is_metadata && (name === "title" || name === "creator") && text.trim() !== "")
        texts[name].push(cleanText(text).trim().replace(/\s+/g, " "));
    },
  });
  const chapters = spine.flatMap((id) => items.get(id) ?? []);
  return { title: texts.title[0] ?? "", authors: texts.creator, chapters: [...new Set(chapters)] };
}

function decodeHref(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
