/**
 * Splits an mbox file into messages while it is read: mboxo, mboxrd, mboxcl, mboxcl2 and the variants that programs
 * write. Holds at most one message, and the result does not depend on how the bytes are chunked.
 */
import { isSeparator, SEPARATOR_LOOK_BYTES } from "./mbox-separator.ts";

/** A message and its position in an mbox file. */
export interface MboxMessage {
  /** Where its `From ` line begins, and where the next one begins, in bytes of the file. */
  readonly start: number;
  readonly end: number;
  /** The `From ` line, at most its first bytes. */
  readonly separator: string;
  /** The message without its `From ` line: a view, valid until the next message. Undefined when it is too large. */
  readonly bytes: Buffer | undefined;
  /** Whether the lines of the body are unescaped, because its length was given (mboxcl2). */
  readonly unescaped: boolean;
}

/** Splits the bytes of an mbox file from `offset`, where a message begins. */
export async function* splitMbox(
  chunks: AsyncIterable<Uint8Array>,
  offset: number,
  message_max_bytes: number,
): AsyncGenerator<MboxMessage> {
  const scan = new MboxScan(offset, message_max_bytes);
  for await (const chunk of chunks) {
    yield* scan.take(chunk);
  }
  yield* scan.finish();
}

const MARK = Buffer.from("\nFrom ");
/** Bytes to keep before the search position, to see whether the line before is blank. */
const LOOK_BACK_BYTES = 4;

class MboxScan {
  readonly #window = new ByteWindow();
  readonly #max: number;
  /** The file offset of the window: the start of the message unless the message is too large to hold. */
  #base: number;
  #message_start: number;
  #separator = "";
  #searched = 0;
  #begun = false;

  constructor(offset: number, message_max_bytes: number) {
    this.#base = offset;
    this.#message_start = offset;
    this.#max = message_max_bytes;
  }

  *take(chunk: Uint8Array): Generator<MboxMessage> {
    this.#window.append(chunk);
    yield* this.#cut(false);
  }

  *finish(): Generator<MboxMessage> {
    yield* this.#cut(true);
    if (this.#window.bytes.length > 0) yield this.#emit(this.#window.bytes.length, false);
  }

  *#cut(final: boolean): Generator<MboxMessage> {
    for (;;) {
      if (!this.#begun && !this.#begin(final)) return;
      const cut = this.#findEnd(final);
      if (cut === undefined) return;
      yield this.#emit(cut.end, cut.unescaped);
    }
  }

  /** Skips a byte order mark and blank lines, and stores the `From ` line. */
  #begin(final: boolean): boolean {
    const { bytes } = this.#window;
    const blank =
      /^(?:\xef\xbb\xbf)?[\r\n]*/.exec(bytes.toString("latin1", 0, SEPARATOR_LOOK_BYTES))?.[0].length ?? 0;
    if (!final && bytes.length < blank + SEPARATOR_LOOK_BYTES) return false;
    this.#drop(blank);
    this.#message_start = this.#base;
    this.#separator =
      this.#window.bytes.toString("latin1", 0, SEPARATOR_LOOK_BYTES).split("\n", 1)[0]?.trimEnd() ?? "";
    this.#searched = 0;
    this.#begun = true;
    return true;
  }

  #findEnd(final: boolean): { end: number; unescaped: boolean } | undefined {
    const { bytes } = this.#window;
    for (let at = bytes.indexOf(MARK, this.#searched); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
      this.#searched = at;
      if (!final && bytes.length < at + 1 + SEPARATOR_LOOK_BYTES) return this.#wait();
      if (!isSeparator(bytes, at + 1)) continue;
      const stated = this.#held() ? findStatedEnd(bytes, at + 1, this.#max, final) : undefined;
      if (stated === "unknown") return this.#wait();
      return stated === undefined ? { end: at + 1, unescaped: false } : { end: stated, unescaped: true };
    }
    this.#searched = Math.max(this.#searched, bytes.length - MARK.length + 1);
    return this.#wait();
  }

  /** More bytes are needed. Of a message that is too large, only the end is kept. */
  #wait(): undefined {
    const spare = this.#searched - LOOK_BACK_BYTES;
    if (spare > 0 && (!this.#held() || this.#searched > this.#max)) {
      this.#drop(spare);
      this.#searched -= spare;
    }
  }

  #held(): boolean {
    return this.#base === this.#message_start;
  }

  #emit(end: number, unescaped: boolean): MboxMessage {
    const bytes = this.#window.bytes.subarray(0, end);
    const whole = this.#held() && end <= this.#max;
    const message = {
      start: this.#message_start,
      end: this.#base + end,
      separator: this.#separator,
      bytes: whole ? withoutFrame(bytes) : undefined,
      unescaped,
    };
    this.#drop(end);
    this.#begun = false;
    return message;
  }

  #drop(count: number): void {
    this.#window.drop(count);
    this.#base += count;
  }
}

const CONTENT_LENGTH = /^content-length:[ \t]*(\d{1,15})[ \t]*$/im;
const HEADER_END = /\r?\n\r?\n/;

/**
 * The end of a message by its Content-Length, if that is after the next `From ` line and a message begins there. Many
 * programs copy the field from elsewhere, so alone it proves nothing.
 */
function findStatedEnd(
  bytes: Buffer,
  next: number,
  max: number,
  final: boolean,
): number | "unknown" | undefined {
  const head = bytes.toString("latin1", 0, Math.min(next, HEADER_MAX_BYTES));
  const border = HEADER_END.exec(head);
  const stated = border && CONTENT_LENGTH.exec(head.slice(0, border.index + 1).replaceAll("\r", ""))?.[1];
  if (!stated) return undefined;
  const end = border.index + border[0].length + Number(stated);
  if (end <= next || end > max) return undefined;
  if (!final && bytes.length < end + LINE_ENDS_BYTES + SEPARATOR_LOOK_BYTES) return "unknown";
  if (end > bytes.length) return undefined;
  const after =
    end + (/^(?:\r?\n){0,2}/.exec(bytes.toString("latin1", end, end + LINE_ENDS_BYTES))?.[0].length ?? 0);
  return after === bytes.length || isSeparator(bytes, after) ? after : undefined;
}

const HEADER_MAX_BYTES = 1024 * 1024;
const LINE_ENDS_BYTES = 4;

/** The message alone: without its `From ` line, and without the blank line before the next one. */
function withoutFrame(bytes: Buffer): Buffer {
  const first = bytes.indexOf(0x0a) + 1;
  const body = first === 0 ? bytes.subarray(bytes.length) : bytes.subarray(first);
  const tail = body.toString("latin1", Math.max(0, body.length - 4));
  const blank = tail.endsWith("\r\n\r\n") ? 2 : tail.endsWith("\n\n") ? 1 : 0;
  return body.subarray(0, body.length - blank);
}

/** A sliding window over the bytes of a file: appends at its end, drops at its start. */
class ByteWindow {
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #start = 0;
  #end = 0;

  /** The bytes in the window: a view, valid until the next `append`. */
  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  append(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#buffer.length) this.#makeRoom(chunk.length);
    this.#buffer.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  drop(count: number): void {
    this.#start = Math.min(this.#start + count, this.#end);
  }

  /** Doubles its capacity, so that a long message is not copied once per chunk. */
  #makeRoom(more: number): void {
    const held = this.bytes;
    const needed = held.length + more;
    const target = needed * 2 > this.#buffer.length ? Buffer.allocUnsafe(needed * 2) : this.#buffer;
    target.set(held, 0);
    this.#buffer = target;
    this.#start = 0;
    this.#end = held.length;
  }
}
