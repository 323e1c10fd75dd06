/** Records with long values, which are read while the answer is sent: no answer holds them in memory. */
import type { StoredRecord } from "@rungs/store";
import { type ReadPiece, writeData } from "../export/write-data.ts";

/** The data of an outgoing record; its cut values are written whole. */
export class StreamedData {
  readonly #record: StoredRecord;
  readonly #read: ReadPiece;

  constructor(record: StoredRecord, read: ReadPiece) {
    this.#record = record;
    this.#read = read;
  }

  /** Writes the data as JSON; throws `RecordChangedError` when a value is no longer the one that was listed. */
  write(): AsyncGenerator<string> {
    return writeData(this.#record, this.#read);
  }
}

/** Levels written piece by piece: an answer, its list of records, a record. Anything deeper is written in one go. */
const WRITTEN_DEPTH = 3;

/** Writes an answer as JSON, in pieces. */
export async function* writeJson(value: unknown, depth = 0): AsyncGenerator<string> {
  if (value instanceof StreamedData) yield* value.write();
  else if (value === null || typeof value !== "object" || depth >= WRITTEN_DEPTH) yield JSON.stringify(value);
  else {
    const isList = Array.isArray(value);
    let before = isList ? "[" : "{";
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield isList ? before : `${before}${JSON.stringify(name)}:`;
      yield* writeJson(member, depth + 1);
      before = ",";
    }
    yield `${before === "," ? "" : before}${isList ? "]" : "}"}`;
  }
}
