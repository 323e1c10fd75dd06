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
export interface ReadWindow {
  readonly answer: FieldWindow;
  readonly selector: WindowSelector;
}

/** What a window's text may take as JSON, and in both halves together, beside ids, cursors and calls. */
const JSON_BYTES = 8_600;
const BOTH_BYTES = 13_600;

/**
 * Reads a window. Where the caller named no size and the text is of a kind that takes many bytes, the window is
 * made smaller rather than too large for its reader; its cursors go on from there.
 */
export async function readWindow(client: Client, read: FieldRead, isSized: boolean): Promise<ReadWindow> {
  const first = await askWindow(client, read);
  if (isSized || fills(first.answer.window.text) <= 1) return first;
  const limit_chars = countChars(fitText(first.answer.window.text, 1, fills));
  const selector = { ...read.selector, limit_chars: Math.max(1, limit_chars) };
  return askWindow(client, { ...read, selector });
}

/** How much of the room a text takes; 1 is all of it. */
function fills(text: string): number {
  const json = countJsonBytes(text);
  return Math.max(json / JSON_BYTES, (json + countBytes(text)) / BOTH_BYTES);
}

async function askWindow(client: Client, { record, field_path, selector }: FieldRead): Promise<ReadWindow> {
  const { connection_id, stream, record_id: id } = record;
  const { kind: _, ...input } = selector;
  const asked: InputOf<Operations["read_record_field"]> = { stream, id, connection_id, field_path, ...input };
  const { object: __, ...answer } = await client.call("read_record_field", asked);
  return { answer, selector };
}
