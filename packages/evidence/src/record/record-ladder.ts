import { gradeSize, isTextLike } from "./field-kind.ts";
import type { FieldView } from "./field-view.ts";
import type { LadderField, LadderRecord } from "./ladder.ts";
import type { RecordView } from "./record-view.ts";

/** Creates a record's rung of a content ladder: its identity and every field that is long, binary or cut (R37). */
export function createRecordRung({ record, fields, related }: RecordView): LadderRecord {
  return {
    ...record,
    fields: fields.filter(isWorthARung).map(createFieldRung),
    ...(related && { related: [...related] }),
  };
}

function isWorthARung({ status, size_chars = 0 }: FieldView): boolean {
  return status !== "complete" || gradeSize(size_chars) !== "small";
}

function createFieldRung({
  path,
  kind,
  status,
  mime_type,
  size_chars,
  size_bytes,
  digest,
  next,
}: FieldView): LadderField {
  return {
    path,
    type: kind,
    ...(mime_type === undefined ? {} : { mime_type }),
    size_grade: gradeSize(size_chars ?? size_bytes ?? 0),
    text_like: isTextLike(kind),
    ...(size_chars === undefined ? {} : { size_chars }),
    ...(size_bytes === undefined ? {} : { size_bytes }),
    preview_status: status,
    ...(digest === undefined ? {} : { digest }),
    ...(next === undefined ? {} : { next }),
  };
}
