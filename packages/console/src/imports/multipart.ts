/** Reads `multipart/form-data` (RFC 7578) as it arrives: a part's content is passed on piece by piece and never held. */
import { ApiError } from "@rungs/contract";

/** One part of a form; its content has to be read before the next part. */
export interface FormPart {
  readonly name: string;
  /** There for files only. */
  readonly filename: string | undefined;
  readonly content: AsyncIterable<Buffer>;
}

const BOUNDARY = /^multipart\/form-data;.*?\bboundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/is;
const HEAD_MAX_BYTES = 16_384;

/** The parts of a form, in the order in which they were sent. */
export async function* readFormParts(request: Request): AsyncGenerator<FormPart> {
  const [, quoted, plain] = BOUNDARY.exec(request.headers.get("Content-Type") ?? "") ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined)
    throw new ApiError("unsupported_media_type", { next: "Send multipart/form-data." });
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const source = createSource(request.body ?? new ReadableStream());
  for await (const _ of source.until(delimiter)) {
    // What stands before the first part means nothing.
  }
  while (!(await source.isNext("--"))) {
    const head = await gather(source.until(Buffer.from("\r\n\r\n")), HEAD_MAX_BYTES);
    const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? "";
    const [name = "", filename] = [parameterOf(disposition, "name"), parameterOf(disposition, "filename")];
    yield { name, filename, content: source.until(delimiter) };
  }
}

/** A content as it is, refused where it is longer than it may be. */
export async function* bound(content: AsyncIterable<Buffer>, max_bytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of content) {
    size += piece.length;
    if (size > max_bytes) throw new ApiError("request_too_large", { max_bytes });
    yield piece;
  }
}

/** All of a short content, as text; refuses a longer one. */
export async function gather(content: AsyncIterable<Buffer>, max_bytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of bound(content, max_bytes)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** Bytes that have arrived and were not read yet. The first boundary has no line before it, so one is put there. */
function createSource(body: AsyncIterable<Uint8Array>) {
  const arriving = body[Symbol.asyncIterator]();
  let held = Buffer.from("\r\n");

  async function pull(): Promise<void> {
    const { value, done } = await arriving.next();
    if (done)
      throw new ApiError("invalid_request", { message: "The upload broke off.", next: "Send it again." });
    held = Buffer.concat([held, value]);
  }

  return {
    /** The bytes up to a mark, which is read too. */
    async *until(mark: Buffer): AsyncGenerator<Buffer> {
      for (;;) {
        const at = held.indexOf(mark);
        const end = at >= 0 ? at : Math.max(0, held.length - mark.length + 1);
        const piece = held.subarray(0, end);
        held = held.subarray(at >= 0 ? end + mark.length : end);
        if (piece.length > 0) yield piece;
        if (at >= 0) return;
        await pull();
      }
    },
    async isNext(text: string): Promise<boolean> {
      while (held.length < text.length) await pull();
      return held.subarray(0, text.length).toString("latin1") === text;
    },
  };
}

/** Browsers write `"` as `%22` (HTML, multipart/form-data encoding algorithm). */
function parameterOf(disposition: string, name: string): string | undefined {
  const value = new RegExp(`;\\s*${name}="([^"]*)"`, "i").exec(disposition)?.[1];
  return value?.replaceAll("%22", '"');
}
