import { identifyRecord, requireWindowSelector } from "@rungs/evidence";
import { requireField } from "../window/field-target.ts";
import { readWindow } from "../window/read-window.ts";
import type { Handler } from "./handler.ts";

/** `read_record_field`: a bounded window of one field's text (R20–R28). */
export const handleReadRecordField: Handler<"read_record_field"> = async (call) => {
  const { settings, authority, input, now_ms } = call;
  const { store, sealer, known_texts } = settings;
  const selector = requireWindowSelector(input);
  const target = await requireField(authority, input, store);
  const { field, window } = await readWindow(target, selector, { store, sealer, known_texts, now_ms });
  const { start_chars: range_start, end_chars: range_end } = window;
  return {
    kind: "json",
    body: { object: "field_window", record: identifyRecord(target.ref), field, window },
    reads: [{ ...target.ref, field: field.path, range_start, range_end }],
  };
};
