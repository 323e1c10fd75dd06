/** Mail-like records with words distributed as in real text: a few common, most rare. */
import type { RecordEnvelope } from "@rungs/contract";
import { createRandom } from "../testing/random.ts";

const VOCABULARY = 120_000;
const SYLLABLES =
  "ka lo mi ren ta vo sel dun pri ost em qua bel nor ith zu gra fen hal wy cor ad is un te po".split(" ");

export interface BenchRecord {
  readonly id: string;
  readonly subject: string;
  readonly body: string;
  readonly sent_at: string;
}

/** Word number n: the same in every run, shorter for common words. */
export function wordOf(n: number): string {
  let word = "";
  for (let rest = n + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length];
  return word;
}

/** Records of about `size` bytes; the natural-text share of common words follows Zipf's law. */
export function* createRecords(
  count: number,
  size = 2_000,
  { seed = 7, word = wordOf } = {},
): Generator<BenchRecord> {
  const random = createRandom(seed);
  const harmonic = Math.log(VOCABULARY) + 0.5772;
  const pickWord = () => word(Math.min(VOCABULARY - 1, Math.floor(Math.exp(random() * harmonic) - 1)));
  for (let number = 0; number < count; number += 1) {
    const subject = Array.from({ length: 4 + Math.floor(random() * 6) }, pickWord).join(" ");
    let body = "";
    const length = size * (0.5 + random());
    while (body.length < length) {
      const sentence = Array.from({ length: 5 + Math.floor(random() * 15) }, pickWord).join(" ");
      body += `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}. `;
    }
    yield { id: `m${number}`, subject, body, sent_at: new Date(1.6e12 + number * 60_000).toISOString() };
  }
}

export const benchManifest = {
  protocol_version: "0.1.0",
  source: { kind: "connector", id: "https://rungs.example/bench" },
  declaration_version: "1",
  publisher: { id: "https://rungs.example" },
  display: { name: "Bench" },
  streams: [
    {
      name: "messages",
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "sent_at",
      consent_time_field: "sent_at",
      query: { search: { lexical_fields: ["subject", "body"] } },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          subject: { type: "string", x_pdpp_role: "primary-title" },
          body: { type: "string", x_pdpp_role: "body" },
          sent_at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
          folder: { type: "string" },
        },
      },
    },
  ],
};

export function toEnvelope(record: BenchRecord): RecordEnvelope {
  return { stream: "messages", key: record.id, data: { ...record }, emitted_at: record.sent_at };
}
