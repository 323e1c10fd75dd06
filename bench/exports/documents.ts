/** Documents and notes of the kinds whose text is extracted. */
import { makeDocx } from "../../testing/files/docx.ts";
import { makePdf } from "../../testing/files/pdf.ts";
import type { BenchRecord } from "../corpus.ts";
import { createTexts, inGroups } from "./texts.ts";
import type { ExportFile } from "./write-files.ts";

const TEXT_CHARS = 8_000;
const LINES_A_PAGE = 45;

const writers: Readonly<Record<string, (text: BenchRecord) => string | Uint8Array>> = {
  pdf: ({ subject, body }) => makePdf([...inGroups(linesOf(body), LINES_A_PAGE)], { title: subject }),
  docx: ({ subject, body }) => makeDocx(sentencesOf(body), subject),
  html: ({ subject, body }) =>
    `<!doctype html><html><head><title>${subject}</title></head><body><h1>${subject}</h1>\n${sentencesOf(body)
      .map((sentence) => `<p>${sentence}</p>`)
      .join("\n")}\n</body></html>`,
  md: ({ subject, body, sent_at }) =>
    `---\ndate: ${sent_at}\ntags: [harbour, winter]\n---\n# ${subject}\n\n${sentencesOf(body).join("\n\n")}\n\nSee [[m0]].\n`,
  txt: ({ body }) => body,
};

/** A document of a kind, given by its extension. */
export function toDocument(kind: "pdf" | "docx" | "html" | "md" | "txt", text: BenchRecord): ExportFile {
  return { path: `${text.id}.${kind}`, content: writers[kind]!(text) };
}

const KINDS = ["pdf", "docx", "html", "md"] as const;

/** A folder of documents, equally many of each kind. */
export function* documentFiles(bytes: number): Generator<ExportFile> {
  let number = 0;
  for (const text of createTexts(bytes, TEXT_CHARS)) {
    const { path, content } = toDocument(KINDS[number % KINDS.length]!, text);
    yield { path: `year-${2020 + (number % 5)}/${path}`, content };
    number += 1;
  }
}

function sentencesOf(body: string): string[] {
  return body.trim().split(/(?<=\.) /);
}

function linesOf(body: string): string[] {
  return body.match(/.{1,80}(?:\s|$)/g) ?? [];
}
