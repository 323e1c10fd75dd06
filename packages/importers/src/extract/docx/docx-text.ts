import { cleanText } from "../../clean-text.ts";
import { readCoreProperties } from "../core-properties.ts";
import type { Extraction } from "../extraction.ts";
import type { ExtractionLimits } from "../limits.ts";
import { Unreadable } from "../unreadable.ts";
import { readZipMembers } from "../zip-members.ts";
import { type DocxContext, type DocxPart, readDocxPart } from "./docx-body.ts";
import { type DocxParts, findDocxParts } from "./docx-parts.ts";
import { readListDefinitions } from "./list-definitions.ts";
import { createNumbering } from "./numbering.ts";

/** The text of a Word document: its body, notes, comments, headers and footers. */
export async function extractDocx(bytes: Uint8Array, limits: ExtractionLimits): Promise<Extraction> {
  const parts = await readZipMembers(bytes, isTextPart, limits.unpacked_bytes);
  const found = findDocxParts(parts);
  const { texts, hidden, missing } = readParts(found);
  return {
    kind: "text",
    text: cleanText(texts.filter((text) => text !== "").join("\n\n")),
    ...readCoreProperties(parts),
    ...(found.links.length === 0 ? {} : { links: found.links }),
    ...(hidden === "" ? {} : { hidden: cleanText(hidden) }),
    ...(missing === "" ? {} : { missing }),
  };
}

function isTextPart(name: string): boolean {
  return /\.(?:xml|rels)$/i.test(name);
}

interface DocxTexts {
  readonly texts: readonly string[];
  readonly hidden: string;
  readonly missing: string;
}

function readParts(parts: DocxParts): DocxTexts {
  const [numbering, styles] = [parts.list("numbering")[0], parts.list("styles")[0]];
  const references = new Map<string, number>();
  const comment_labels = new Map<string, string>();
  const number = createNumbering(readListDefinitions(numbering, styles));
  const context: DocxContext = { number, references, comment_labels };
  const read = (type: string) => parts.list(type).map((part) => readDocxPart(part, context));

  const comments = read("comments");
  const labelled = comments.flatMap(({ entries }) => [...entries]);
  labelled.forEach(([id], at) => void comment_labels.set(id, `[comment ${at + 1}]`));
  const body = readDocxPart(parts.main, context);
  if (!body.is_whole && body.text === "") throw new Unreadable("Its body is damaged.");
  const notes = [...read("footnotes"), ...read("endnotes")];
  const diagrams = read("diagramData");
  const margins = [...readMargins("Header", read("header")), ...readMargins("Footer", read("footer"))];
  const all = [body, ...comments, ...notes, ...diagrams];
  return {
    texts: [
      body.text,
      ...diagrams.map(({ text }) => text),
      ...listNotes(references, notes),
      ...labelled.map(
        ([id, { author, text }]) => `${comment_labels.get(id)} ${author === "" ? "" : `${author}: `}${text}`,
      ),
      ...new Set(margins.flatMap(({ shown }) => (shown === "" ? [] : [shown]))),
    ],
    hidden: all
      .flatMap((part) => part.hidden)
      .join(" ")
      .trim(),
    missing: describeMissing(all, margins.filter(({ is_whole }) => !is_whole).length),
  };
}

/** The notes that the text refers to, in the order of their numbers. */
function listNotes(references: ReadonlyMap<string, number>, notes: readonly DocxPart[]): string[] {
  return [...references].map(([id, number]) => {
    const note = notes.find(({ entries }) => entries.has(id))?.entries.get(id);
    return `[${number}] ${note?.text ?? ""}`.trim();
  });
}

/** Drops a header or footer that ends early: its text may end in the middle of a word. */
function readMargins(label: string, parts: readonly DocxPart[]) {
  return parts.map(({ text, is_whole }) => ({
    shown: is_whole && text !== "" ? `${label}: ${text}` : "",
    is_whole,
  }));
}

function describeMissing(parts: readonly DocxPart[], broken_margins: number): string {
  const embedded = parts.reduce((sum, part) => sum + part.embedded, 0);
  const problems = [
    parts.some(({ is_whole }) => !is_whole) && "Its content ends early: the file is damaged.",
    broken_margins > 0 && `${broken_margins} of its headers and footers could not be read.`,
    embedded > 0 && `${embedded} embedded documents were not read.`,
  ];
  return problems.filter((problem) => problem !== false).join(" ");
}
