import {
  type Continuation,
  createRecordRung,
  type LadderField,
  type LadderRecord,
  parseFieldPath,
  type RecordView,
} from "@rungs/evidence";
import { countJson } from "./limits.ts";

/** A record's rung within `max_bytes`: where it has too many long fields, `next` asks for the rest of them (R37). */
export function createBoundedRung(view: RecordView, max_bytes: number): LadderRecord {
  const rung = createRecordRung(view);
  const count = countFitting(rung.fields, max_bytes);
  if (count === rung.fields.length) return rung;
  const rest = rung.fields.slice(count).map(({ path }) => String(parseFieldPath(path)?.[0] ?? path));
  const next: Continuation = { operation: "fetch", args: { id: rung.id, fields: [...new Set(rest)] } };
  return { ...rung, fields: rung.fields.slice(0, count), next };
}

function countFitting(fields: readonly LadderField[], max_bytes: number): number {
  let left = max_bytes;
  const past = fields.findIndex((field) => {
    left -= countJson(field);
    return left < 0;
  });
  return past < 0 ? fields.length : past;
}
