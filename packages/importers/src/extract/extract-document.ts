import { cleanText } from "../clean-text.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { listEntries } from "../files/probe.ts";
import { extractMsg } from "../outlook/msg-text.ts";
import { listSheets } from "../sheets/workbook.ts";
import { decodeDocument } from "./decode-text.ts";
import { extractDoc } from "./doc-text.ts";
import { type DocumentKind, detectKind, isPicture } from "./document-kind.ts";
import { extractDocx } from "./docx/docx-text.ts";
import { extractEpub } from "./epub-text.ts";
import type { Extraction, ExtractionRequest } from "./extraction.ts";
import { htmlToText } from "./html-text.ts";
import type { ExtractionLimits } from "./limits.ts";
import { extractPicture } from "./ocr/read-pictures.ts";
import type { Recogniser } from "./ocr/recogniser.ts";
import { extractOdt } from "./odt-text.ts";
import { extractPdf } from "./pdf/pdf-text.ts";
import { extractPptx } from "./pptx-text.ts";
import { extractRtf } from "./rtf-text.ts";
import { explainUnreadable } from "./unreadable.ts";

type Reader = (
  request: ExtractionRequest,
  limits: ExtractionLimits,
  ocr: Recogniser | undefined,
) => Extraction | Promise<Extraction>;

/**
 * Extracts the text of a document of any kind, within the limits that this process can enforce: all but time and
 * memory.
 */
export async function extractDocument(
  request: ExtractionRequest,
  limits: ExtractionLimits,
  ocr?: Recogniser,
): Promise<Extraction> {
  const detected = detectKind(request);
  const { kind, mime_type } = detected;
  const reader = kind === "other" ? undefined : readers[kind];
  const readPicture: Reader | undefined = ocr && isPicture(detected) ? readPictureFile : undefined;
  const read = reader ?? readPicture;
  if (!read) return { kind: "unsupported", reason: `No text is read from ${mime_type} files.` };
  try {
    return cutText(await read(request, limits, ocr), limits.text_chars);
  } catch (error) {
    return { kind: "failed", reason: explainUnreadable(error) };
  }
}

const readPictureFile: Reader = ({ bytes }, _limits, ocr) => extractPicture(bytes, ocr!);

const readers: Readonly<Record<Exclude<DocumentKind["kind"], "other">, Reader>> = {
  pdf: ({ bytes }, limits, ocr) => extractPdf(bytes, limits, ocr),
  docx: ({ bytes }, limits) => extractDocx(bytes, limits),
  odt: ({ bytes }, limits) => extractOdt(bytes, limits),
  pptx: ({ bytes }, limits) => extractPptx(bytes, limits),
  epub: ({ bytes }, limits) => extractEpub(bytes, limits),
  sheet: ({ bytes }, limits) => extractSheets(bytes, limits),
  doc: ({ bytes }) => extractDoc(bytes),
  msg: ({ bytes }) => extractMsg(bytes),
  rtf: ({ bytes }) => extractRtf(bytes),
  html: extractHtml,
  text: ({ bytes, mime_type }) => {
    const { text, ...about } = decodeDocument(bytes, charsetIn(mime_type));
    return { kind: "text", text: cleanText(text), ...about };
  },
};

const META_CHARSET = /<meta[^>]{1,200}charset\s*=\s*["']?([\w-]{2,40})/i;

function extractHtml({ bytes, mime_type }: ExtractionRequest): Extraction {
  const head = Buffer.from(bytes.subarray(0, 2048)).toString("latin1");
  const { text, ...about } = decodeDocument(bytes, charsetIn(mime_type) ?? META_CHARSET.exec(head)?.[1]);
  const { cut, ...page } = htmlToText(cleanText(text));
  return { kind: "text", ...page, ...about, ...(cut ? { cut: "text_chars" } : {}) };
}

function charsetIn(mime_type: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([\w-]{2,40})/i.exec(mime_type ?? "")?.[1];
}

function cutText(extraction: Extraction, max_chars: number): Extraction {
  if (extraction.kind !== "text" || extraction.text.length <= max_chars) return extraction;
  // Not between the halves of a surrogate pair.
  const text = extraction.text.slice(0, max_chars).replace(/[\ud800-\udbff]$/, "");
  return { ...extraction, text, cut: "text_chars" };
}

/** Extracts the rows of all sheets, each under the name of its sheet. */
async function extractSheets(bytes: Uint8Array, limits: ExtractionLimits): Promise<Extraction> {
  const [entry] = await listEntries(createMemoryFiles("workbook", { workbook: bytes }));
  const lines: string[] = [];
  let chars = 0;
  for (const sheet of entry ? await listSheets(entry) : []) {
    lines.push("", `Sheet ${sheet.name}${sheet.is_hidden ? " (hidden)" : ""}`);
    for await (const { cells } of sheet.rows()) {
      if (cells.every((cell) => cell === "")) continue;
      const line = cells.map((cell) => cell.replace(/\s*\n\s*/g, " ")).join(" | ");
      chars += line.length;
      if (chars > limits.text_chars)
        return { kind: "text", text: lines.join("\n").trim(), cut: "text_chars" };
      lines.push(line);
    }
  }
  return { kind: "text", text: lines.join("\n").trim() };
}
