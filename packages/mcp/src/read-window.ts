/** Reads one window of one field, for the tool and the resource. */
import type { Client } from "@rungs/client";
import type { FieldRead, InputOf, Operations } from "@rungs/contract";
import {
  countBytes,
  countChars,
  countJsonBytes,
  type FieldWindow,
  fitText,
  type WindowSelector,
} from "@rungs/evidence";

/** A window, and the selector that reads exactly it. */
export interface WindowRead {
  readonly answer: FieldWindow;
  readonly selector: WindowSelector;
}

/** Byte limits for a window's text: as JSON in structuredContent, and in both forms together. The rest is ids, cursors and calls. */
const JSON_BYTES = 8_600;
const BOTH_BYTES = 13_600;

/** The limits above include an id of this many bytes; a longer id takes room from the text. */
const USUAL_ID_BYTES = 500;
/** How often the id occurs in structuredContent, and in both forms; escaping counts as one more. */
const ID_COPIES = { structured: 2, both: 7 };

/**
 * Reads a window. If the caller gave no size and the text takes too many bytes for hosts (CJK, escapes), reads a
 * smaller window instead; its cursors continue from there.
 */
export async function fetchWindow(client: Client, read: FieldRead, isSized: boolean): Promise<WindowRead> {
  const first = await askWindow(client, read);
  const {
    record: { id },
    window: { text },
  } = first.answer;
  const fills = measureFill(id);
  if (isSized || fills(text) <= 1) return first;
  const limit_chars = countChars(fitText(text, 1, fills));
  const selector = { ...read.selector, limit_chars: Math.max(1, limit_chars) };
  return askWindow(client, { ...read, selector });
}

/** Measures which share of the room left by `id` a text takes; 1 is all of it. */
function measureFill(id: string): (text: string) => number {
  const more = Math.max(0, countJsonBytes(id) - USUAL_ID_BYTES);
  const room = { json: JSON_BYTES - ID_COPIES.structured * more, both: BOTH_BYTES - ID_COPIES.both * more };
  return (text) => {
    const json = countJsonBytes(text);
    return Math.max(json / room.json, (json + countBytes(text)) / room.both);
  };
}

async function askWindow(client: Client, { record, field_path, selector }: FieldRead): Promise<WindowRead> {
  const { connection_id, stream, record_id: id } = record;
  const { kind: _, ...input } = selector;
  const asked: InputOf<Operations["read_record_field"]> = { stream, id, connection_id, field_path, ...input };
  const { object: __, ...answer } = await client.call("read_record_field", asked);
  return { answer, selector };
}
