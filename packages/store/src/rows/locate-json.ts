/** Finds the value at a path inside a long JSON text, piece by piece: paths beyond those that have their own row. */
import type { FieldPath } from "@rungs/evidence";

/** Where a value is in the JSON text: characters `start_char` to `end_char`. */
export interface LocatedValue {
  readonly start_char: number;
  readonly end_char: number;
  readonly kind: "text" | "json";
  /** Whether a string has escapes, so that its JSON is not its text. */
  readonly has_escapes: boolean;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Follows a path through compact JSON text. `push` takes the text in order; the result is a value, `null` when there is none
 * at the path, and undefined while more text is needed.
 */
export class JsonLocator {
  readonly #path: FieldPath;
  #char = 0;
  #depth = 0;
  /** The depth of the innermost open container that is on the path. */
  #onPath = 0;
  #index = 0;
  #key: string | undefined;
  /** The text of the key that is being read. */
  #keyText: string | undefined;
  #inString = false;
  #escaped = false;
  #found: { start: number; depth: number; kind: "text" | "json"; escapes: boolean } | undefined;

  constructor(path: FieldPath) {
    this.#path = path;
  }

  /** Reads on; see above. */
  push(text: string): LocatedValue | null | undefined {
    for (let unit = 0; unit < text.length; unit += 1) {
      const code = text.charCodeAt(unit);
      const result = this.#inString ? this.#readString(code, text[unit]!) : this.#readToken(code);
      if (code < 0xdc00 || code > 0xdfff) this.#char += 1;
      if (result !== undefined) return result;
    }
    return undefined;
  }

  #readString(code: number, unit: string): LocatedValue | null | undefined {
    if (this.#keyText !== undefined) this.#keyText += unit;
    if (this.#escaped) this.#escaped = false;
    else if (code === BACKSLASH) {
      this.#escaped = true;
      if (this.#found) this.#found.escapes = true;
    } else if (code === QUOTE) {
      this.#inString = false;
      if (this.#found && this.#depth === this.#found.depth) return this.#finish(this.#char + 1);
      if (this.#keyText !== undefined) this.#key = JSON.parse(this.#keyText) as string;
      this.#keyText = undefined;
    }
    return undefined;
  }

  #readToken(code: number): LocatedValue | null | undefined {
    switch (code) {
      case COMMA:
        if (this.#found && this.#depth === this.#found.depth) return this.#finish(this.#char);
        if (this.#depth === this.#onPath) {
          this.#index += 1;
          this.#key = undefined;
        }
        return undefined;
      case COLON:
        return undefined;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        return this.#close();
      default:
        return this.#beginValue(code);
    }
  }

  #beginValue(code: number): LocatedValue | null | undefined {
    const isKey = code === QUOTE && this.#isObject && this.#key === undefined;
    const isContainer = code === OPEN_LIST || code === OPEN_OBJECT;
    if (isKey && this.#depth === this.#onPath) this.#keyText = '"';
    else if (!this.#found && this.#isOnPath()) {
      if (this.#onPath === this.#path.length) {
        const kind = code === QUOTE ? "text" : "json";
        this.#found = { start: this.#char, depth: this.#depth, kind, escapes: false };
      } else if (isContainer) this.#enter(code);
      else return null;
    }
    if (code === QUOTE) this.#inString = true;
    if (isContainer) this.#depth += 1;
    return undefined;
  }

  /** Whether the innermost container on the path is an object. */
  #isObject = false;

  #enter(code: number): void {
    this.#onPath = this.#depth + 1;
    this.#isObject = code === OPEN_OBJECT;
    this.#index = 0;
    this.#key = undefined;
  }

  /** Whether the value that begins here is the next one of the path. */
  #isOnPath(): boolean {
    if (this.#depth !== this.#onPath) return false;
    if (this.#depth === 0) return true;
    const segment = this.#path[this.#onPath - 1];
    return this.#isObject ? this.#key === segment : this.#index === segment;
  }

  #close(): LocatedValue | null | undefined {
    if (this.#found && this.#depth === this.#found.depth) return this.#finish(this.#char);
    this.#depth -= 1;
    if (this.#found && this.#depth === this.#found.depth) return this.#finish(this.#char + 1);
    return !this.#found && this.#depth < this.#onPath ? null : undefined;
  }

  #finish(end_char: number): LocatedValue {
    const { start, kind, escapes } = this.#found!;
    return { start_char: start, end_char, kind, has_escapes: escapes };
  }
}
