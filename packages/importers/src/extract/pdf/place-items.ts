/** Infers word and line borders from the positions of text pieces on a page. */

/** A piece of text with its place on the page. */
export interface TextItem {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly width: number;
  readonly height: number;
  readonly transform: readonly number[];
}

/** The maximum offset of a redrawn piece, relative to its height. */
const SAME_PLACE = 0.1;
/**
 * The minimum distance between the baselines of two lines, and between the letters of two words, relative to their
 * height.
 */
const LINE_GAP = 0.5;
const WORD_GAP = 0.25;

/** Whether two positions look the same to a reader. */
function isNear(a: number, b: number, { height }: TextItem): boolean {
  return Math.abs(a - b) <= height * SAME_PLACE;
}

const placeOf = ({ transform }: TextItem) => ({ x: transform[4] ?? 0, y: transform[5] ?? 0 });
const endOf = (item: TextItem) => placeOf(item).x + item.width;

/** Whether a piece is written from left to right. */
function isLevel({ transform: [a = 0, b = 0, c = 0] }: TextItem): boolean {
  return a > 0 && b === 0 && c === 0;
}

/**
 * What a piece adds to those before it. Letters redrawn in place to look bold add nothing: the piece either begins
 * where a recent one began, or ends where the text ends.
 */
export function findAdded(item: TextItem, recent: readonly TextItem[], text: string): string {
  if (item.str.trim() === "") return item.str;
  const { x, y } = placeOf(item);
  const before = recent.findLast((each) => {
    const place = placeOf(each);
    return each.str.trim() !== "" && isNear(place.x, x, item) && isNear(place.y, y, item);
  });
  if (before && item.str.startsWith(before.str)) return item.str.slice(before.str.length);
  const last = recent.findLast((each) => each.str.trim() !== "");
  const isInside = last && isNear(placeOf(last).y, y, item) && x < endOf(last) - item.width / 2;
  return isInside && isNear(endOf(last), endOf(item), item) && text.endsWith(item.str) ? "" : item.str;
}

/** The separator between two adjacent pieces: a line break, a space, or nothing. */
export function findBorder(item: TextItem, last: TextItem | undefined): string {
  if (!last || !isLevel(item) || !isLevel(last)) return "";
  const height = Math.max(item.height, last.height);
  if (height === 0) return "";
  if (Math.abs(placeOf(item).y - placeOf(last).y) > height * LINE_GAP) return "\n";
  const gap = placeOf(item).x - endOf(last);
  return gap > height * WORD_GAP || gap < -height - last.width ? " " : "";
}
