import type { LadderField, LadderRecord } from "@rungs/evidence";

/** Drops from a rung what its id, type and size already say, and the digests, which windows have. */
export function shortenRung({
  connection_id: _connection,
  stream: _stream,
  record_id: _record,
  ...rung
}: LadderRecord): LadderRecord {
  return { ...rung, fields: rung.fields.map(shortenField) };
}

function shortenField({
  size_grade: _grade,
  text_like: _like,
  size_bytes,
  digest: _digest,
  ...field
}: LadderField): LadderField {
  return { ...field, ...(size_bytes !== undefined && field.size_chars === undefined && { size_bytes }) };
}
