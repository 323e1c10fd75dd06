/** One window of one field, for the tool and for the resource. */
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

/** What a window's text may take as JSON, and in both halves together, beside ids, cursors and calls. */
const JSON_BYTES = 8_600;
const BOTH_BYTES = 13_600;

/** An id of up to this many bytes is among what stands beside; a longer one takes from the text. */
const USUAL_ID_BYTES = 500;
/** How often the id stands in the structured half, and in both; escaping counts as one more. */
const ID_COPIES = { structured: 2, both: 7 };

/**
 * Reads a window. Where the caller named no size and the text is of a kind that takes many bytes, the window is
 * made smaller rather than too large for its reader; its cursors go on from there.
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

/** How much of the room beside `id` a text takes; 1 is all of it. */
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
