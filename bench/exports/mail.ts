/** Mail as programs keep it: a file for each message, a Maildir, and a mailbox with attached documents. */
import type { BenchRecord } from "../corpus.ts";
import { toDocument } from "./documents.ts";
import { createTexts, numberOf } from "./texts.ts";
import type { ExportFile } from "./write-files.ts";

/** A folder of messages. */
export function* emlFiles(bytes: number): Generator<ExportFile> {
  for (const text of createTexts(bytes)) yield { path: `${text.id}.eml`, content: writeMessage(text) };
}

const FOLDERS = ["cur", ".Sent/cur", ".Lists.Harbour/cur", "new"];

/** A Maildir of several folders. */
export function* maildirFiles(bytes: number): Generator<ExportFile> {
  for (const text of createTexts(bytes)) {
    const number = numberOf(text);
    const folder = FOLDERS[number % FOLDERS.length]!;
    // `;` replaces `:`, which file names on Windows cannot contain.
    const flags = folder === "new" ? "" : `;2,${number % 5 === 0 ? "RS" : "S"}`;
    yield { path: `${folder}/${1_600_000_000 + number}.M1P2.host${flags}`, content: writeMessage(text) };
  }
}

const ATTACHED = ["docx", "pdf", "txt"] as const;

/** A mailbox whose messages all have a document attached. */
export function* attachedMessages(bytes: number): Generator<string> {
  for (const text of createTexts(bytes)) {
    const attached = toDocument(ATTACHED[numberOf(text) % ATTACHED.length]!, text);
    yield `From a@example.org Sun Sep 13 12:26:40 2020\n${writeMessage(text, attached)}\n`;
  }
}

/** Every third message also has its text as HTML. A message with a document has only the first sentence; the document has the whole text. */
function writeMessage(text: BenchRecord, attached?: ExportFile): string {
  if (attached) {
    const [opening] = text.body.split(". ", 1);
    return writeParts(text, "mixed", [plainPart(`${opening}.`), attachedPart(attached)]);
  }
  if (numberOf(text) % 3 === 0) {
    return writeParts(text, "alternative", [plainPart(fold(text.body)), htmlPart(text.body)]);
  }
  return `${writeHeader(text)}\n${plainPart(fold(text.body))}\n`;
}

function writeHeader(text: BenchRecord): string {
  const { id, subject, sent_at } = text;
  const number = numberOf(text);
  const thread = number - (number % 5);
  return [
    `Return-Path: <sender${number % 17}@example.org>`,
    `Message-ID: <${id}@example.org>`,
    ...(thread === number ? [] : [`In-Reply-To: <m${thread}@example.org>`]),
    `From: Sender ${number % 17} <sender${number % 17}@example.org>`,
    "To: Reader <reader@example.org>",
    `Subject: ${subject}`,
    `Date: ${new Date(sent_at).toUTCString().replace("GMT", "+0000")}`,
    "MIME-Version: 1.0",
  ].join("\n");
}

function writeParts(text: BenchRecord, kind: "alternative" | "mixed", parts: readonly string[]): string {
  const boundary = `=_${text.id}`;
  const inner = parts.map((part) => `--${boundary}\n${part}\n`).join("");
  return `${writeHeader(text)}\nContent-Type: multipart/${kind}; boundary="${boundary}"\n\n${inner}--${boundary}--\n`;
}

function plainPart(text: string): string {
  return `Content-Type: text/plain; charset=utf-8\n\n${text}`;
}

function htmlPart(body: string): string {
  const paragraphs = body.split(". ").map((sentence) => `<p>${sentence}.</p>`);
  return `Content-Type: text/html; charset=utf-8\n\n<html><body>\n${paragraphs.join("\n")}\n</body></html>`;
}

function attachedPart({ path, content }: ExportFile): string {
  const lines = Buffer.from(content).toString("base64").replace(/.{76}/g, "$&\n");
  return [
    `Content-Type: application/octet-stream; name="${path}"`,
    "Content-Transfer-Encoding: base64",
    `Content-Disposition: attachment; filename="${path}"`,
    "",
    lines,
  ].join("\n");
}

/** Wraps at about 76 characters, as mail programs do. */
function fold(text: string): string {
  return text.replace(/(.{1,76})(?:\s+|$)/g, "$1\n");
}
