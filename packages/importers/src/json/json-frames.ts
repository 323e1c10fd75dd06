/** The grammar of JSON between values (RFC 8259 §2): the position in the document, and what may come next. */

/** Names and indexes from the root to a value. */
export type JsonPath = readonly (string | number)[];

/** An entered object or array, or the document itself. */
interface Frame {
  readonly kind: "root" | "object" | "array";
  at: string | number;
  expects: "key" | "colon" | "value" | "comma" | "nothing";
}

const SPACE = new Set([0x09, 0x0a, 0x0d, 0x20]);
const [QUOTE, COMMA, COLON, CLOSE_ARRAY, CLOSE_OBJECT] = [0x22, 0x2c, 0x3a, 0x5d, 0x7d];

/** Tracks the position in a document from value to value. */
export class JsonFrames {
  readonly #frames: Frame[] = [{ kind: "root", at: "", expects: "value" }];

  /** What begins at a byte: a value, a name in an object, nothing (whitespace and punctuation), or a syntax error. */
  step(byte: number): "value" | "key" | "nothing" | "problem" {
    const frame = this.#frame;
    if (SPACE.has(byte)) return "nothing";
    if (isClosing(byte, frame)) this.#leave();
    else if (frame.expects === "colon" && byte === COLON) frame.expects = "value";
    else if (frame.expects === "comma" && byte === COMMA) advance(frame);
    else if (frame.expects === "key") return byte === QUOTE ? "key" : "problem";
    else if (frame.expects === "value") return byte === COMMA || byte === COLON ? "problem" : "value";
    else return "problem";
    return "nothing";
  }

  /** Enters an object or array to visit its members one by one. */
  enter(kind: "object" | "array"): void {
    const frame: Frame =
      kind === "array" ? { kind, at: 0, expects: "value" } : { kind, at: "", expects: "key" };
    this.#frames.push(frame);
  }

  /** Ends a name. */
  endKey(name: string): void {
    Object.assign(this.#frame, { at: name, expects: "colon" });
  }

  /** Ends a value. */
  endValue(): void {
    this.#frame.expects = this.#frame.kind === "root" ? "nothing" : "comma";
  }

  /** Whether the document is complete. */
  get done(): boolean {
    return this.#frame.expects === "nothing";
  }

  get path(): JsonPath {
    return this.#frames.slice(1).map(({ at }) => at);
  }

  get #frame(): Frame {
    return this.#frames.at(-1)!;
  }

  #leave(): void {
    this.#frames.pop();
    this.endValue();
  }
}

function isClosing(byte: number, { kind, expects }: Frame): boolean {
  if (kind === "array") return byte === CLOSE_ARRAY && (expects === "value" || expects === "comma");
  return kind === "object" && byte === CLOSE_OBJECT && (expects === "key" || expects === "comma");
}

function advance(frame: Frame): void {
  frame.expects = frame.kind === "object" ? "key" : "value";
  if (typeof frame.at === "number") frame.at += 1;
}
