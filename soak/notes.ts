/** The records that a soak run writes: each has one unique word, and all share one. */
import type { RecordEnvelope } from "@rungs/contract";

export const STREAM = "notes";
/** The word that every record contains. */
export const COMMON = "everywhere";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const FILLER = "the tide came in slowly over the flats and went out again ";
const EMITTED_AT = "2026-06-01T00:00:00Z";
const FIRST_MS = 1.7e12;

/** Encodes a number as a word: letters only, so that it is one search term. */
export function wordFor(number: number): string {
  let word = "zq";
  for (let rest = number + 1; rest > 0; rest = Math.floor(rest / LETTERS.length))
    word += LETTERS[rest % LETTERS.length];
  return `${word}zq`;
}

/** A note; every seventh is long enough to be stored in chunks. */
export function createNote(key: string, number: number): RecordEnvelope {
  const body = `${COMMON} ${wordFor(number)} ${FILLER.repeat(number % 7 === 0 ? 300 : 3)}`;
  const data = {
    id: key,
    title: `Note ${wordFor(number)}`,
    body,
    written_at: new Date(FIRST_MS + number * 1000).toISOString(),
  };
  return { stream: STREAM, key, data, emitted_at: EMITTED_AT };
}

/** Decodes the number of a note that was read. */
export function numberOf({ written_at }: Readonly<Record<string, unknown>>): number {
  return (Date.parse(String(written_at)) - FIRST_MS) / 1000;
}

/** The envelope that deletes a note. */
export function deleteNote(key: string): RecordEnvelope {
  return { stream: STREAM, key, op: "delete", emitted_at: EMITTED_AT };
}

/** Serializes records as NDJSON. */
export function toLines(records: readonly RecordEnvelope[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}
