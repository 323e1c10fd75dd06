/** The markup of Markdown and Obsidian in a note: tags and links. */

/** The marks of a note, each once, in order. */
export interface NoteMarks {
  readonly tags: readonly string[];
  readonly links: readonly string[];
}

const MAX_MARKS = 1000;
const MAX_LINK_CHARS = 2048;

const FENCED_CODE = /^ {0,3}(```|~~~)[^\n]*\n[\s\S]*?(?:^ {0,3}\1[^\n]*$|$(?![\s\S]))/gm;
const INLINE_CODE = /`[^`\n]*`/g;
/** Letters, digits, `_`, `-` and `/`, not only digits: https://help.obsidian.md/tags */
const TAG = /(?<![^\s([{]|\[\[|\]\()#([\p{L}\p{N}\p{M}_/-]*[\p{L}_/-][\p{L}\p{N}\p{M}_/-]*)/gu;
const WIKI_LINK = /\[\[([^[\]|\n]{1,2048})(?:\|[^[\]\n]*)?\]\]/g;
const MARKDOWN_LINK = /\]\(\s*(?:<([^<>\n]{1,2048})>|([^\s()]{1,2048}(?:\([^\s()]*\))?))/g;
/** `[name]: target` */
const LINK_DEFINITION = /^ {0,3}\[[^[\]\n]{1,500}\]:[ \t]*\S+/gm;

/** Reads the marks of a note, ignoring code. */
export function readMarks(note: string): NoteMarks {
  const text = note.replace(FENCED_CODE, "\n").replace(INLINE_CODE, " ");
  const found: { at: number; link: string }[] = [];
  for (const match of text.matchAll(WIKI_LINK)) found.push({ at: match.index, link: match[1]!.trim() });
  for (const match of text.matchAll(MARKDOWN_LINK)) {
    found.push({ at: match.index, link: (match[1] ?? match[2] ?? "").trim() });
  }
  const links = found.toSorted((a, b) => a.at - b.at).map(({ link }) => link);
  const unlinked = text.replace(WIKI_LINK, " ").replace(MARKDOWN_LINK, " ").replace(LINK_DEFINITION, " ");
  return {
    tags: unique([...unlinked.matchAll(TAG)].map((match) => match[1]!)),
    links: unique(links.filter((link) => link.length <= MAX_LINK_CHARS && !link.startsWith("#"))),
  };
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].slice(0, MAX_MARKS);
}
