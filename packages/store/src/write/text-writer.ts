/** Writes the long texts of a record as chunks, and feeds its searchable strings to the index. */
import {
  countBytes,
  countChars,
  findTokenBorder,
  formatFieldPath,
  isCharBorder,
  unitOfChar,
} from "@rungs/evidence";
import type { Partition } from "../catalog/catalog.ts";
import type { Dialect, Value } from "../database.ts";
import type { SegmentBuilder } from "../index/builder.ts";
import type { WordSink } from "../index/term-words.ts";
import { digestText, lexicalTexts } from "../rows/record-rows.ts";
import type { LongText } from "../rows/row-shape.ts";
import { CHUNK_CHARS, LOOKAHEAD_CHARS } from "../rows/sizes.ts";
import type { TableName } from "../tables.ts";
import type { FieldEmbedder } from "../vectors/field-embedder.ts";

const ENCODED_BYTES = 1 << 18;
const encoder = new TextEncoder();

/** What `TextWriter` writes to: rows, and the index builder of a partition. */
export interface TextSink {
  readonly owner: number;
  readonly dialect: Dialect;
  add(table: TableName, row: Value[]): Promise<void>;
  flushTable(table: TableName): Promise<void>;
  getBuilder(partition: Partition): SegmentBuilder;
  /** Called between texts and between chunks: writes the segment when it reaches the memory limit, and vectors that fill a row. */
  spill(partition: Partition): Promise<void>;
}

/** Names the chunks of a text: the document, and the number of the text within it. */
interface TextKey {
  readonly doc: number;
  readonly text_no: number;
}

/** The token positions of a text in its field. */
interface Positions {
  readonly first: number;
  readonly end: number;
}

export class TextWriter {
  readonly #sink: TextSink;
  readonly #encoded = new Uint8Array(ENCODED_BYTES);
  #encodedBytes = 0;

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  async write(
    partition: Partition,
    doc: number,
    data: Readonly<Record<string, unknown>>,
    texts: readonly LongText[],
    vectors?: FieldEmbedder,
  ): Promise<void> {
    const numbers = new Map(texts.map(({ path }, number) => [path, number]));
    const written = new Set<number>();
    const encoded = new Set(texts.flatMap(({ path, kind }) => (kind === "binary" ? [path] : [])));
    for (const field of partition.shape.fields) {
      if (field.lexical.length === 0 || !Object.hasOwn(data, field.name)) continue;
      const fieldNumber = partition.fieldNames.indexOf(field.name);
      let position = 0;
      for (const { path, text } of lexicalTexts(field, data[field.name], encoded)) {
        const number = numbers.get(path);
        const long = number === undefined ? undefined : texts[number];
        const words = text === data[field.name] ? vectors?.follow(field.name, text) : undefined;
        const place = { field: fieldNumber, first: position, words };
        if (number !== undefined && long) {
          const key = { doc, text_no: number };
          const end = await this.#writeIndexed(partition, key, text, place);
          await this.#describe(key, long, 0, { first: position, end });
          written.add(number);
          position = end + 1;
        } else {
          const builder = this.#sink.getBuilder(partition);
          position = builder.addText(doc, fieldNumber, text, position, { words }) + 1;
        }
        words?.end();
        await this.#sink.spill(partition);
      }
    }
    for (const [number, text] of texts.entries()) {
      if (written.has(number)) continue;
      const isPiece = text.piece_start !== undefined;
      const whole = isPiece ? (numbers.get(formatFieldPath([text.field])) as number) : number;
      if (!isPiece) await this.#writePlain({ doc, text_no: number }, text.text);
      await this.#describe({ doc, text_no: whole }, text, text.piece_start ?? 0, undefined);
    }
  }

  /** Writes the chunks of a searchable text; returns the position after its last token. */
  async #writeIndexed(
    partition: Partition,
    key: TextKey,
    text: string,
    { field, first, words }: { field: number; first: number; words: WordSink | undefined },
  ): Promise<number> {
    let position = first;
    for (const chunk of chunkText(text)) {
      await this.#writeChunk(key, chunk, position);
      const builder = this.#sink.getBuilder(partition);
      position = builder.addText(key.doc, field, chunk.withLookahead, position, {
        startUnit: chunk.start_unit,
        endUnit: chunk.text.length,
        words,
      });
      await this.#sink.spill(partition);
    }
    return position;
  }

  async #writePlain(key: TextKey, text: string): Promise<void> {
    for (const chunk of chunkText(text)) await this.#writeChunk(key, chunk, null);
  }

  async #writeChunk({ doc, text_no }: TextKey, chunk: TextChunk, position: number | null): Promise<void> {
    const { owner, dialect } = this.#sink;
    const body = dialect.packChunk(await this.#encode(chunk.text));
    await this.#sink.add("chunks", [owner, doc, text_no, chunk.start_char, position, body]);
  }

  #describe(
    { doc, text_no }: TextKey,
    long: LongText,
    start: number,
    positions: Positions | undefined,
  ): Promise<void> {
    const { path, field, kind, text } = long;
    const size = [countChars(text), countBytes(text), digestText(text)];
    const place = [positions?.first ?? null, positions?.end ?? null];
    return this.#sink.add("texts", [
      this.#sink.owner,
      doc,
      path,
      text_no,
      start,
      field,
      kind,
      ...size,
      ...place,
    ]);
  }

  /** The UTF-8 of a chunk, in a buffer that is reused once the chunks before it are written. */
  async #encode(text: string): Promise<Uint8Array> {
    if (this.#encodedBytes + text.length * 3 > this.#encoded.length) {
      await this.#sink.flushTable("chunks");
      this.#encodedBytes = 0;
    }
    const { written } = encoder.encodeInto(text, this.#encoded.subarray(this.#encodedBytes));
    const bytes = this.#encoded.subarray(this.#encodedBytes, this.#encodedBytes + written);
    this.#encodedBytes += written;
    return bytes;
  }
}

interface TextChunk {
  readonly start_char: number;
  readonly start_unit: number;
  readonly text: string;
  /** The chunk and the beginning of the next: the text to tokenize. */
  readonly withLookahead: string;
}

/** Cuts a text into chunks at token boundaries. Only bigrams cross them: they look ahead into the next chunk. */
function* chunkText(text: string): Generator<TextChunk> {
  let start_char = 0;
  for (let unit = 0; unit < text.length; ) {
    const near = text.slice(unit, unit + 2 * (CHUNK_CHARS + LOOKAHEAD_CHARS));
    const end = findTokenBorder(near, 0, unitOfChar(near, CHUNK_CHARS));
    const chunk = near.slice(0, end);
    yield {
      start_char,
      start_unit: unit,
      text: chunk,
      withLookahead: near.slice(0, lookaheadEnd(near, end)),
    };
    start_char += countChars(chunk);
    unit += end;
  }
}

function lookaheadEnd(text: string, end: number): number {
  const unit = Math.min(text.length, end + LOOKAHEAD_CHARS);
  return isCharBorder(text, unit) ? unit : unit - 1;
}
