/** Canary words, each in a single field of a single record: wherever one turns up, it identifies the leak. */
import type { RecordEnvelope } from "@rungs/contract";
import { canonicalKey } from "@rungs/evidence";
import type { StoredRef } from "@rungs/store";

/** Where a marker belongs. */
export interface MarkedPlace {
  readonly owner_id: string;
  readonly ref: StoredRef;
  readonly field: string;
  readonly marker: string;
}

/** Texts of these names are free text, at any depth. */
const FREE_TEXT = new Set(["subject", "body", "note", "label", "place", "name", "text"]);
const MARKER = /zqx\d+zqx/g;
/** Masking grants mask these words in a field. */
export const SECRET = "mqz[0-9]+mqz";

export class Markers {
  readonly #places: MarkedPlace[] = [];

  /** The same record with a marker in front of each of its texts. */
  mark(owner_id: string, connection_id: string, record: RecordEnvelope): RecordEnvelope {
    const { stream, key, data } = record;
    if (!data) return record;
    const ref = { connection_id, stream, record_id: canonicalKey(key) };
    const fields = Object.entries(data).map(([field, value]) => [
      field,
      this.#markIn(value, field, { owner_id, ref, field }),
    ]);
    return { ...record, data: Object.fromEntries(fields) };
  }

  /** The places of all markers in a text. */
  listIn(text: string): MarkedPlace[] {
    return this.#find(text, MARKER);
  }

  /** The places of all words in a text that some grants mask. */
  listSecretsIn(text: string): MarkedPlace[] {
    return this.#find(text, new RegExp(SECRET, "g"));
  }

  #find(text: string, pattern: RegExp): MarkedPlace[] {
    return [...new Set(text.match(pattern))].flatMap((marker) => {
      const place = this.#places[Number(marker.slice(3, -3))];
      return place ? [{ ...place, marker }] : [];
    });
  }

  #markIn(value: unknown, name: string, place: Omit<MarkedPlace, "marker">): unknown {
    if (typeof value === "string") return FREE_TEXT.has(name) ? this.#issue(place, value) : value;
    if (Array.isArray(value)) return value.map((item) => this.#markIn(item, name, place));
    if (value === null || typeof value !== "object") return value;
    const members = Object.entries(value).map(([key, member]) => [key, this.#markIn(member, key, place)]);
    return Object.fromEntries(members);
  }

  #issue(place: Omit<MarkedPlace, "marker">, value: string): string {
    const number = this.#places.length;
    this.#places.push({ ...place, marker: `zqx${number}zqx` });
    return `zqx${number}zqx mqz${number}mqz ${value}`;
  }
}
