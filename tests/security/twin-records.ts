/** The data of two servers that differ only in what is hidden (`hidden-twins.test.ts`). */
import type { Exclusion, RecordEnvelope, StreamScope } from "@rungs/contract";
import type { BlobFacts } from "@rungs/store";
import { EMITTED_AT, message } from "../../testing/store/world.ts";

const LONG = "The kiln was warm. ".repeat(800);

/** What hides the records: the grant, or a rule of the owner. */
export const NARROWINGS: Readonly<
  Record<string, { readonly limits?: Partial<StreamScope>; readonly hides?: readonly Exclusion["hides"][] }>
> = {
  condition: { limits: { where: [{ field: "code", op: "equals", value: "in" }] } },
  "rule by value": { hides: [{ kind: "value", condition: { field: "code", op: "equals", value: "out" } }] },
  "rule by person": { hides: [{ kind: "person", person: "@clinic.example" }] },
  "rule by pattern": { hides: [{ kind: "pattern", pattern: "(?i)oncolog", stream: "messages" }] },
  "rules by record": {
    hides: ["h1", "h2", "h3", "h4"].map((record_id) => ({
      kind: "record",
      connection_id: "mail",
      stream: "messages",
      record_id,
    })),
  },
};

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 10, minute)).toISOString();
const file = (id: string, message_id: string, text: string): RecordEnvelope => ({
  stream: "files",
  key: id,
  data: { id, message_id, name: `${id}.pdf`, text, made_at: at(9), size: text.length },
  emitted_at: EMITTED_AT,
});

export function listShown(blob: BlobFacts): RecordEnvelope[] {
  const shown = (id: string, minute: number, subject: string, more: object = {}) =>
    message(id, {
      subject,
      code: "in",
      label: "roof",
      sent_at: at(minute),
      from: { name: "Ann", address: "ann@home.example" },
      amount: minute,
      ...more,
    });
  return [
    shown("a", 10, "kiln and glaze", { body: LONG, attachment: blob }),
    shown("b", 20, "the roof leaks", { note: 'quotes " and, commas\n=SUM(A1)' }),
    shown("c", 30, "kiln again", { payload: { list: [1, 2, { deep: "kiln" }] } }),
    file("f1", "a", "a plan of the kiln"),
  ];
}

/**
 * Hidden records with words of the shown records, near spellings of others, the same thread, times around theirs, and a
 * file and a blob.
 */
export function listHidden(blob: BlobFacts | undefined, count: number): RecordEnvelope[] {
  return Array.from({ length: count }, (_, number) => {
    const id = `h${number + 1}`;
    const hidden = message(id, {
      subject: `kiln kiln oncology zebra${number}`,
      body: number === 0 ? `${LONG}${LONG}` : `gloze glazes roof ${"kiln ".repeat(number * 40)}`,
      code: "out",
      label: "roof",
      sent_at: at([0, 15, 25, 59][number] ?? 5),
      from: { name: "Dr. Berg", address: "berg@clinic.example" },
      amount: 1e6 + number,
      due: "2031-01-01",
      ...(blob ? { attachment: blob } : {}),
    });
    return [hidden, file(`hf${number}`, id, "a plan of oncology")];
  }).flat();
}
