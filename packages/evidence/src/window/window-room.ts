/**
 * The room for the text of a window whose size the caller did not choose. Dense text (CJK, emoji, escapes) takes several bytes
 * a character, and hosts cut or spill answers by their bytes. The resource server decides, so that a window is the same over
 * REST, MCP and the command line.
 */
import { countJsonBytes } from "../text/budget.ts";
import { countBytes, formatJsonLine } from "../text/code-points.ts";
import type { MeasureFill } from "./window.ts";

/** The most bytes of a default window's text: as a JSON string, and as a JSON string and plain text together. */
export const WINDOW_ROOM_BYTES = { json: 8_600, both: 13_600 } as const;

/** The limits above include an id of this many bytes; a longer id takes room from the text. */
const USUAL_ID_BYTES = 500;
/** How often an answer repeats the id: in its structured half, and in both halves; escaping counts as one more copy. */
const ID_COPIES = { json: 2, both: 7 } as const;

const LEAST_BYTES = 400;

/** Creates the measure of a default window of the record `id`. */
export function createWindowMeasure(id: string): MeasureFill {
  const more = Math.max(0, countBytes(formatJsonLine(id)) - USUAL_ID_BYTES);
  const room = {
    json: Math.max(LEAST_BYTES, WINDOW_ROOM_BYTES.json - ID_COPIES.json * more),
    both: Math.max(LEAST_BYTES, WINDOW_ROOM_BYTES.both - ID_COPIES.both * more),
  };
  return (text) => {
    const json = countJsonBytes(text);
    return Math.max(json / room.json, (json + countBytes(text)) / room.both);
  };
}
