/** The content of a note in the database: a message of Protocol Buffers, compressed with gzip. */
import { gunzipSync } from "node:zlib";
import { findMessage, findNumber, findProtoText, readFields } from "./protobuf.ts";

/** How large the content of one note may be. */
const NOTE_MAX_BYTES = 64 * 1024 ** 2;

/** A note's text in runs. */
export interface NoteBody {
  readonly text: string;
  readonly links: readonly string[];
}

/** Fields of the messages, from the outermost to the innermost. */
const DOCUMENT = 2;
const NOTE = 3;
const [NOTE_TEXT, RUN] = [2, 5];
const [RUN_LENGTH, RUN_PARAGRAPH, RUN_LINK, RUN_ATTACHMENT] = [1, 2, 9, 12];
const [STYLE_KIND, STYLE_INDENT, STYLE_CHECK] = [1, 4, 5];
const CHECK_DONE = 2;

/** The marks of list items, by the style of their paragraph. */
const MARKS: Readonly<Record<number, string>> = { 100: "* ", 101: "- ", 102: "1. " };
const CHECKLIST = 103;
const INDENT_MAX = 20;
const LINKS_MAX = 1000;

/**
 * Reads the content of a note; undefined if it is damaged or too large. `describe` gives the text that takes the place of an
 * attachment, by its identifier.
 */
export function readNoteBody(
  data: Uint8Array,
  describe: (identifier: string) => string,
): NoteBody | undefined {
  const bytes = unpack(data);
  const document = bytes && findMessage(bytes, DOCUMENT);
  const note = document && findMessage(document, NOTE);
  const text = note && findProtoText(note, NOTE_TEXT);
  if (!note || text === undefined) return undefined;
  const links = new Set<string>();
  let [shown, at, isStart] = ["", 0, true];
  for (const { number, value } of readFields(note)) {
    if (number !== RUN || !(value instanceof Uint8Array)) continue;
    // Lengths count UTF-16 units, as strings here do.
    const run = text.slice(at, at + (findNumber(value, RUN_LENGTH) ?? 0));
    at += run.length;
    const link = findProtoText(value, RUN_LINK);
    if (link !== undefined && link !== "" && links.size < LINKS_MAX) links.add(link);
    const attachment = findMessage(value, RUN_ATTACHMENT);
    const identifier = attachment && findProtoText(attachment, 1);
    const mark = markLine(findMessage(value, RUN_PARAGRAPH));
    for (const piece of run.split(/(?<=\n)/)) {
      shown += isStart && piece.trim() !== "" ? mark : "";
      shown += identifier === undefined ? piece : piece.replaceAll(OBJECT, describe(identifier));
      isStart = piece.endsWith("\n");
    }
  }
  return { text: (shown + text.slice(at)).replaceAll(OBJECT, "").trim(), links: [...links] };
}

/** The character that marks an attachment in the text. */
const OBJECT = "\ufffc";

function unpack(data: Uint8Array): Uint8Array | undefined {
  try {
    return gunzipSync(data, { maxOutputLength: NOTE_MAX_BYTES });
  } catch {
    return undefined;
  }
}

/** The prefix of a line of this style. */
function markLine(style: Uint8Array | undefined): string {
  if (!style) return "";
  const kind = findNumber(style, STYLE_KIND) ?? -1;
  const indent = "  ".repeat(Math.min(findNumber(style, STYLE_INDENT) ?? 0, INDENT_MAX));
  if (kind !== CHECKLIST) return MARKS[kind] === undefined ? "" : indent + MARKS[kind];
  const check = findMessage(style, STYLE_CHECK);
  return `${indent}[${check && findNumber(check, CHECK_DONE) === 1 ? "x" : " "}] `;
}
