import { type RejectedItem, splitLines } from "@rungs/contract";
import type { FileEntry } from "../files/files.ts";
import { createOrderVote, type DateOrder, readLocalMs, type Verdict } from "./date-order.ts";
import { type Layout, parseStamp, type Stamp } from "./stamp.ts";

/** The maximum length of a message, which an import of a chat holds in memory. */
export const MESSAGE_MAX_CHARS = 4 * 1024 * 1024;

/** A message as written in the file. */
export interface ChatMessage {
  readonly kind: "message";
  readonly place: string;
  /** Its date and time as written. */
  readonly written: string;
  readonly local_ms: number;
  /** Undefined for a notice of the application. */
  readonly sender: string | undefined;
  readonly text: string;
  /** Whether it is a notice of the application despite its sender, as on iPhones. */
  readonly is_notice: boolean;
}

/** How to parse a file, inferred from the whole of it. */
export interface ChatForm extends Verdict {
  readonly layout: Layout;
}

/** Reads a file once to find its layout and the order of its dates; undefined for a file without messages. */
export async function findForm(file: FileEntry): Promise<ChatForm | undefined> {
  const vote = createOrderVote();
  let layout: Layout | undefined;
  for await (const { text } of readChatLines(file.open(), MESSAGE_MAX_CHARS)) {
    const stamp = parseStamp(text, layout);
    if (!stamp) continue;
    layout = stamp.layout;
    vote.add(stamp);
  }
  return layout === undefined ? undefined : { layout, ...vote.decide() };
}

/** The messages of a file in order; a line without a date belongs to the message above it. */
export async function* readMessages(
  file: FileEntry,
  { layout, order }: Pick<ChatForm, "layout" | "order">,
): AsyncGenerator<ChatMessage | RejectedItem> {
  let open: OpenMessage | undefined;
  for await (const { number, text, too_long } of readChatLines(file.open(), MESSAGE_MAX_CHARS)) {
    const place = `${file.path}, line ${number}`;
    const next = openMessage(parseStamp(text, layout), order, place);
    if (next || !open) {
      if (open) yield closeMessage(open);
      else if (!next && (text.trim() !== "" || too_long)) yield refuseLine(place);
      open = next;
    } else addLine(open, text, too_long);
  }
  if (open) yield closeMessage(open);
}

interface OpenMessage {
  readonly place: string;
  readonly stamp: Stamp;
  readonly local_ms: number;
  readonly lines: string[];
  chars: number;
}

function openMessage(stamp: Stamp | undefined, order: DateOrder, place: string): OpenMessage | undefined {
  const local_ms = stamp ? readLocalMs(stamp, order) : undefined;
  if (!stamp || local_ms === undefined) return undefined;
  return { place, stamp, local_ms, lines: [stamp.rest], chars: stamp.rest.length };
}

function addLine(message: OpenMessage, text: string, too_long: boolean): void {
  message.chars += too_long ? MESSAGE_MAX_CHARS + 1 : text.length + 1;
  if (message.chars > MESSAGE_MAX_CHARS) message.lines.length = 0;
  else message.lines.push(text);
}

function closeMessage({ place, stamp, local_ms, lines, chars }: OpenMessage): ChatMessage | RejectedItem {
  if (chars > MESSAGE_MAX_CHARS) {
    return { kind: "rejected", place, reason: `It has more than ${MESSAGE_MAX_CHARS} characters.` };
  }
  const { sender, first } = splitSender(lines[0] ?? "");
  const text = [first, ...lines.slice(1)].join("\n").replaceAll("\u200e", "");
  const is_notice = stamp.layout === "ios" && isNotice(first);
  return { kind: "message", place, written: stamp.written, local_ms, sender, text, is_notice };
}

/**
 * iPhones put a mark before a notice, and also before the name of a file or of omitted media. Those are short; a notice
 * is a sentence: `Messages and calls are end-to-end encrypted.`
 */
function isNotice(first: string): boolean {
  if (!first.startsWith("\u200e")) return false;
  const text = first.replaceAll("\u200e", "").trim();
  return !text.startsWith("<") && (text.length > SHORT_CHARS || /[.。．।!؟?]$/.test(text));
}

const SHORT_CHARS = 40;
const SENDER_MAX_CHARS = 100;

/** A notice of the application has no sender; a quoted name before the colon is part of such a notice. */
function splitSender(line: string): { readonly sender: string | undefined; readonly first: string } {
  const colon = `${line} `.indexOf(": ");
  const name = line.slice(0, Math.max(0, colon));
  if (name === "" || name.length > SENDER_MAX_CHARS || /["“”„«»]/.test(name)) {
    return { sender: undefined, first: line };
  }
  const sender = name
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/^~\s?/, "")
    .trim();
  return { sender, first: line.slice(colon + 2) };
}

function refuseLine(place: string): RejectedItem {
  return { kind: "rejected", place, reason: "The line comes before the first message." };
}

/** A line of a chat. */
export interface ChatLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  /** Whether the line is longer than the limit; its text is then empty. */
  readonly too_long: boolean;
}

/** A UTF-16 unit takes at most three bytes of UTF-8. */
const BYTES_PER_CHAR = 3;

/** The lines of a UTF-8 file; holds at most `max_chars` of one. */
export async function* readChatLines(
  chunks: AsyncIterable<Uint8Array>,
  max_chars: number,
): AsyncGenerator<ChatLine> {
  const decoder = new TextDecoder();
  for await (const { number, bytes } of splitLines(chunks, { max_bytes: max_chars * BYTES_PER_CHAR })) {
    const text = bytes && decoder.decode(bytes);
    if (text === undefined || text.length > max_chars) yield { number, text: "", too_long: true };
    else yield { number, text: text.replace(/\r$/, ""), too_long: false };
  }
}
