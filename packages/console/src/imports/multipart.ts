/** Reads `multipart/form-data` (RFC 7578) as a stream: yields the content of a part in chunks and never buffers it. */
import { ApiError } from "@rungs/contract";

/** One part of a form. Read its content before the next part. */
export interface FormPart {
  readonly name: string;
  /** Set for files only. */
  readonly filename: string | undefined;
  readonly content: AsyncIterable<Buffer>;
}

const BOUNDARY = /^multipart\/form-data;.*?\bboundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/is;
const HEADER_MAX_BYTES = 16_384;

/** Yields the parts of a form in order. */
export async function* readFormParts(request: Request): AsyncGenerator<FormPart> {
  const [, quoted, plain] = BOUNDARY.exec(request.headers.get("Content-Type") ?? "") ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined)
    throw new ApiError("unsupported_media_type", { next: "Send multipart/form-data." });
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const source = createSource(request.body ?? new ReadableStream());
  for await (const _ of source.until(delimiter)) {
    // Skip the preamble before the first part.
  }
  while (!(await source.isNext("--"))) {
    const header = await gather(source.until(Buffer.from("\r\n\r\n")), HEADER_MAX_BYTES);
    const disposition = /^content-disposition:(.*)$/im.exec(header)?.[1] ?? "";
    const [name = "", filename] = [
      parseParameter(disposition, "name"),
      parseParameter(disposition, "filename"),
    ];
    yield { name, filename, content: source.until(delimiter) };
  }
}

/** Passes content through, and refuses it when it exceeds the limit. */
export async function* bound(content: AsyncIterable<Buffer>, max_bytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > max_bytes) throw new ApiError("request_too_large", { max_bytes });
    yield chunk;
  }
}

/** Reads short content as text; refuses content over the limit. */
export async function gather(content: AsyncIterable<Buffer>, max_bytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of bound(content, max_bytes)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Buffers the bytes that have arrived but are not read yet. The first boundary has no line break before it, so the buffer starts with one. */
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
    /** Yields the bytes up to a delimiter, and consumes it. */
    async *until(delimiter: Buffer): AsyncGenerator<Buffer> {
      for (;;) {
        const at = held.indexOf(delimiter);
        const end = at >= 0 ? at : Math.max(0, held.length - delimiter.length + 1);
        const chunk = held.subarray(0, end);
        held = held.subarray(at >= 0 ? end + delimiter.length : end);
        if (chunk.length > 0) yield chunk;
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
function parseParameter(disposition: string, name: string): string | undefined {
  const value = new RegExp(`;\\s*${name}="([^"]*)"`, "i").exec(disposition)?.[1];
  return value?.replaceAll("%22", '"');
}
