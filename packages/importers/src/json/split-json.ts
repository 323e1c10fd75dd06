/**
 * Extracts selected values from a JSON document of any size, one at a time. Holds only one selected value, up to a
 * limit. A broken value does not affect the others. `JSON.parse` does the parsing.
 */
import { JsonFrames, type JsonPath } from "./json-frames.ts";
import { parseExactJson } from "./parse-json.ts";
import { createValueScan, scanValue, type ValueScan } from "./value-scan.ts";

/** The maximum size of one value, which an import of JSON holds in memory. */
export const JSON_VALUE_MAX_BYTES = 64 * 1024 * 1024;

/** A selected value, or why it or the rest of the document cannot be read. */
export type JsonItem = { readonly path: JsonPath; readonly at_byte: number } & (
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "problem"; readonly reason: string }
);

/** Which values to select, and how large one may be. */
export interface SplitOptions {
  /** `take`: yield this value. `enter`: decide for each value inside. `skip`: ignore it. */
  choose(path: JsonPath, kind: "object" | "array" | "scalar"): "take" | "enter" | "skip";
  readonly max_bytes?: number | undefined;
  /** Inspects the text of each value before it is parsed. */
  inspect?(text: string): void;
}

/** Yields the selected values of a document in order. */
export async function* splitJson(
  bytes: AsyncIterable<Uint8Array>,
  options: SplitOptions,
): AsyncGenerator<JsonItem> {
  const splitter = new JsonSplitter(options);
  for await (const chunk of bytes) {
    yield* splitter.push(chunk);
    if (splitter.failed) return;
  }
  yield* splitter.end();
}

/** The value, or name in an object, being read. */
interface Reading {
  readonly choice: "take" | "skip" | "key";
  readonly at_byte: number;
  readonly scan: ValueScan;
  readonly parts: Uint8Array[];
  size: number;
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const KINDS: Readonly<Record<number, "object" | "array">> = { 123: "object", 91: "array" };

class JsonSplitter {
  failed = false;
  readonly #frames = new JsonFrames();
  readonly #choose: SplitOptions["choose"];
  readonly #max_bytes: number;
  readonly #inspect: SplitOptions["inspect"];
  #reading: Reading | undefined;
  #chunk_at_byte = 0;

  constructor({ choose, max_bytes = JSON_VALUE_MAX_BYTES, inspect }: SplitOptions) {
    this.#choose = choose;
    this.#max_bytes = max_bytes;
    this.#inspect = inspect;
  }

  *push(chunk: Uint8Array): Generator<JsonItem> {
    let at = 0;
    while (at < chunk.length) {
      const reading = this.#reading ?? this.#step(chunk[at]!, this.#chunk_at_byte + at);
      if (this.failed)
        return yield this.#refuse("The file is not JSON from here on.", this.#chunk_at_byte + at);
      if (reading === undefined) at += 1;
      else {
        const end = scanValue(reading.scan, chunk, at);
        this.#keep(reading, chunk, at, end);
        if (end !== undefined) yield* this.#finish(reading);
        at = end ?? chunk.length;
      }
    }
    this.#chunk_at_byte += chunk.length;
  }

  *end(): Generator<JsonItem> {
    const reading = this.#reading;
    if (reading?.scan.scalar) yield* this.#finish(reading);
    if (this.#frames.done) return;
    yield this.#refuse("The file ends inside it.", reading?.at_byte ?? this.#chunk_at_byte);
  }

  #step(byte: number, at_byte: number): Reading | undefined {
    if (byte === BYTE_ORDER_MARK[at_byte]) return undefined;
    const met = this.#frames.step(byte);
    if (met === "key") return this.#begin("key", byte, at_byte);
    if (met === "value") return this.#open(byte, at_byte);
    this.failed = met === "problem";
    return undefined;
  }

  #open(byte: number, at_byte: number): Reading | undefined {
    const kind = KINDS[byte] ?? "scalar";
    const choice = this.#choose(this.#frames.path, kind);
    if (choice !== "enter") return this.#begin(choice, byte, at_byte);
    if (kind === "scalar") return this.#begin("skip", byte, at_byte);
    this.#frames.enter(kind);
    return undefined;
  }

  #begin(choice: Reading["choice"], byte: number, at_byte: number): Reading {
    this.#reading = { choice, at_byte, scan: createValueScan(byte), parts: [], size: 0 };
    return this.#reading;
  }

  #keep(reading: Reading, chunk: Uint8Array, from: number, to: number | undefined): void {
    if (reading.choice === "skip") return;
    const part = chunk.subarray(from, to);
    reading.size += part.length;
    if (reading.size > this.#max_bytes) reading.parts.length = 0;
    // Copied if it continues: the reader may reuse the chunk's memory.
    else reading.parts.push(to === undefined ? part.slice() : part);
  }

  *#finish(reading: Reading): Generator<JsonItem> {
    this.#reading = undefined;
    if (reading.choice === "key") return this.#frames.endKey(String(this.#parse(reading)));
    if (reading.choice === "take") yield this.#give(reading);
    this.#frames.endValue();
  }

  #give(reading: Reading): JsonItem {
    const { at_byte, size } = reading;
    if (size > this.#max_bytes) {
      return this.#refuse(`It has ${size} bytes; the limit is ${this.#max_bytes}.`, at_byte);
    }
    const value = this.#parse(reading);
    if (value === undefined) return this.#refuse("It is not valid JSON.", at_byte);
    return { kind: "value", path: this.#frames.path, at_byte, value };
  }

  /** Undefined for invalid JSON. */
  #parse({ parts, choice }: Reading): unknown {
    const text = Buffer.concat(parts).toString("utf8");
    if (choice === "take") this.#inspect?.(text);
    return parseExactJson(text);
  }

  #refuse(reason: string, at_byte: number): JsonItem {
    return { kind: "problem", path: this.#frames.path, at_byte, reason };
  }
}
