/**
 * Walks the parts of a message without decoding them, far enough to see where each is and what it claims to be. The
 * library parses messages; this finds the parts that need repair before (`repair-message.ts`).
 */

/** A part and its position in the message. */
export interface MimePart {
  readonly header: { readonly start: number; readonly end: number };
  /** For a multipart, only the preamble. */
  readonly body: { readonly start: number; readonly end: number };
  readonly claims: PartClaims;
  /** The innermost multipart/alternative around it. */
  readonly alternative: Alternative | undefined;
  /** Whether it is the root of a message inside another. */
  readonly is_inner: boolean;
}

/** The identity of a multipart/alternative. */
export type Alternative = Record<never, never>;

/** What the header of a part says. */
export interface PartClaims {
  readonly type: string;
  readonly charset: string | undefined;
  readonly encoding: string;
  readonly attached: boolean;
  /** Whether it is shown with the message, although it is a file with a name. */
  readonly named: boolean;
  /** A boundary after a space instead of a semicolon, which the library misses. */
  readonly loose_boundary: string | undefined;
  readonly flowed: boolean;
  readonly delsp: boolean;
}

/** The alternative around the parts of a multipart, by its boundary. */
type Boundaries = Map<string, Alternative | undefined>;

/** The parts of a message in order, those of attached messages too. `is_inner_root`: it is itself inside another. */
export function* walkParts(bytes: Buffer, is_inner_root = false): Generator<MimePart> {
  const boundaries: Boundaries = new Map();
  let alternative: Alternative | undefined;
  let is_inner = is_inner_root;
  for (let at = 0; at < bytes.length; ) {
    const header = { start: at, end: findHeaderEnd(bytes, at, boundaries) };
    const text = unfold(bytes.toString("latin1", header.start, header.end));
    const claims = readClaims(text);
    const boundary = findParameter(text, "boundary") ?? claims.loose_boundary;
    if (boundary !== undefined) {
      boundaries.set(boundary, claims.type === "multipart/alternative" ? {} : alternative);
    }
    const inner = claims.type === "message/rfc822" && claims.encoding === "";
    const body = { start: header.end, end: inner ? header.end : findBoundary(bytes, header.end, boundaries) };
    yield { header, body, claims, alternative, is_inner };
    is_inner = inner;
    if (inner) {
      at = header.end;
      alternative = undefined;
    } else ({ at, alternative } = findPartStart(bytes, body.end, boundaries));
  }
}

const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;

/** Just after the blank line, or before the boundary, that ends a header. */
function findHeaderEnd(bytes: Buffer, start: number, boundaries: Boundaries): number {
  for (let at = start; at < bytes.length; ) {
    const end = bytes.indexOf(LF, at);
    if (bytes[at] === DASH && boundaryAt(bytes, at, boundaries)) return at;
    if (end < 0) break;
    if (end === at || (end === at + 1 && bytes[at] === CR)) return end + 1;
    at = end + 1;
  }
  return bytes.length;
}

function unfold(header: string): string {
  return header.replace(/\r?\n[ \t]+/g, " ");
}

function readClaims(header: string): PartClaims {
  const type = /^content-type[ \t]*:[ \t]*([^;\s]+)/im.exec(header)?.[1]?.toLowerCase() ?? "";
  const encoding = /^content-transfer-encoding[ \t]*:\W*([\w-]+)/im.exec(header)?.[1]?.toLowerCase() ?? "";
  return {
    type,
    charset: findParameter(header, "charset")?.toLowerCase(),
    encoding: encoding === "base64" || encoding === "quoted-printable" ? encoding : "",
    attached: /^content-disposition[ \t]*:[ \t]*attachment/im.test(header),
    named: /^content-disposition[ \t]*:[ \t]*inline[ \t]*;.*\bfilename\*?[\d*]*=/im.test(header),
    loose_boundary: LOOSE_BOUNDARY.exec(header)
      ?.slice(1)
      .find((text) => text !== undefined),
    flowed: /^flowed$/i.test(findParameter(header, "format") ?? ""),
    delsp: /^yes$/i.test(findParameter(header, "delsp") ?? ""),
  };
}

const LOOSE_BOUNDARY =
  /^content-type[ \t]*:[ \t]*multipart\/[\w-]+[ \t]+boundary[ \t]*=[ \t]*(?:"([^"]*)"|([^\s;"]+))/im;

function findParameter(header: string, name: string): string | undefined {
  const line = /^content-type[ \t]*:.*$/im.exec(header)?.[0] ?? "";
  const found = new RegExp(`;[ \\t]*${name}[ \\t]*=[ \\t]*(?:"([^"]*)"|([^\\s;"]+))`, "i").exec(line);
  return found?.[1] ?? found?.[2];
}

const MARK = Buffer.from("\n--");

/** The start of the line that ends a part: one of the boundaries declared so far. */
function findBoundary(bytes: Buffer, from: number, boundaries: Boundaries): number {
  if (boundaries.size === 0) return bytes.length;
  for (let at = bytes.indexOf(MARK, from - 1); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
    if (boundaryAt(bytes, at + 1, boundaries) !== undefined) return at + 1;
  }
  return bytes.length;
}

/** Skips boundary lines and what follows a closing one, up to the start of the next part. */
function findPartStart(bytes: Buffer, from: number, boundaries: Boundaries) {
  for (let at = from; at < bytes.length; ) {
    const found = boundaryAt(bytes, at, boundaries);
    const end = bytes.indexOf(LF, at);
    const next = end < 0 ? bytes.length : end + 1;
    if (found?.opens) return { at: next, alternative: found.alternative };
    at = findBoundary(bytes, next, boundaries);
  }
  return { at: bytes.length, alternative: undefined };
}

/** RFC 2046 §5.1.1: a boundary has at most 70 characters; real ones are longer. */
const BOUNDARY_MAX_BYTES = 1024;

function boundaryAt(bytes: Buffer, at: number, boundaries: Boundaries) {
  const line = bytes.toString("latin1", at, at + BOUNDARY_MAX_BYTES).split("\n", 1)[0] ?? "";
  if (!line.startsWith("--")) return undefined;
  const text = line.slice(2).trimEnd();
  if (boundaries.has(text)) return { opens: true, alternative: boundaries.get(text) };
  return text.endsWith("--") && boundaries.has(text.slice(0, -2)) ? { opens: false } : undefined;
}
