/**
 * Renders the pictures of a PDF page into one, as the page shows them: scanners cut a page into strips, and rotate it.
 */
import { type getDocumentProxy, getResolvedPDFJS } from "unpdf";

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>["getPage"]>>;

/** An affine map, as PDF writes it. */
type Matrix = readonly [number, number, number, number, number, number];

/** A picture that pdf.js decoded. `kind` is 1 for a bit of gray, 2 for RGB, 3 for RGBA; a mask has none, and paints its zeros. */
interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly kind?: number;
  readonly data: Uint8Array | Uint8ClampedArray;
}

interface Placed {
  readonly picture: Decoded;
  /** From the unit square to the page. */
  readonly matrix: Matrix;
}

/** A page of A4 with 300 dots per inch. */
const MAX_PIXELS = 9_000_000;
const WHITE = 255;

/** Draws the pictures of a page as a gray picture (PGM); undefined if none can be decoded. */
export async function drawPictures(page: Page): Promise<Uint8Array | undefined> {
  const placed = await listPictures(page);
  if (placed.length === 0) return undefined;
  const { width, height, transform } = page.getViewport({ scale: chooseScale(page, placed) });
  const sheet = { width: Math.ceil(width), height: Math.ceil(height) };
  const pixels = Buffer.alloc(sheet.width * sheet.height, WHITE);
  for (const { picture, matrix } of placed)
    draw(picture, multiply(transform as unknown as Matrix, matrix), sheet, pixels);
  return Buffer.concat([Buffer.from(`P5\n${sheet.width} ${sheet.height}\n255\n`), pixels]);
}

async function listPictures(page: Page): Promise<Placed[]> {
  const { OPS } = await getResolvedPDFJS();
  const { fnArray, argsArray } = await page.getOperatorList();
  const placed: Placed[] = [];
  const saved: Matrix[] = [];
  let matrix: Matrix = [1, 0, 0, 1, 0, 0];
  for (const [at, operator] of fnArray.entries()) {
    const args: readonly unknown[] = argsArray[at] ?? [];
    if (operator === OPS.save || operator === OPS.paintFormXObjectBegin) saved.push(matrix);
    if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) matrix = saved.pop() ?? matrix;
    if (operator === OPS.transform) matrix = multiply(matrix, args as unknown as Matrix);
    if (operator === OPS.paintFormXObjectBegin && args[0])
      matrix = multiply(matrix, Array.from(args[0] as ArrayLike<number>) as unknown as Matrix);
    if (!PAINTING.some((name) => OPS[name] === operator)) continue;
    const picture = await takePicture(page, args[0]);
    if (picture) placed.push({ picture, matrix });
  }
  return placed;
}

const PAINTING = ["paintImageXObject", "paintInlineImageXObject", "paintImageMaskXObject"] as const;

/** A picture, by its name on the page or inline; undefined if it was not decoded. */
async function takePicture(page: Page, value: unknown): Promise<Decoded | undefined> {
  if (typeof value === "string") {
    const objects = value.startsWith("g_") ? page.commonObjs : page.objs;
    const loaded = await new Promise((resolve) => objects.get(value, resolve));
    return isDecoded(loaded) ? loaded : undefined;
  }
  const { data, ...rest } = (value ?? {}) as { data?: unknown };
  if (typeof data !== "string") return isDecoded(value) ? value : undefined;
  const loaded = await takePicture(page, data);
  return loaded && { ...rest, ...loaded };
}

function isDecoded(value: unknown): value is Decoded {
  const { width = 0, height = 0, data } = (value ?? {}) as Partial<Decoded>;
  return width > 0 && height > 0 && ArrayBuffer.isView(data);
}

/** The resolution of the sharpest picture, within the limit. */
function chooseScale(page: Page, placed: readonly Placed[]): number {
  const { width, height } = page.getViewport({ scale: 1 });
  const densities = placed.map(({ picture, matrix: [a, b] }) => picture.width / (Math.hypot(a, b) || 1));
  return Math.min(Math.max(1, ...densities), Math.sqrt(MAX_PIXELS / Math.max(1, width * height)));
}

interface Sheet {
  readonly width: number;
  readonly height: number;
}

function draw(picture: Decoded, matrix: Matrix, sheet: Sheet, pixels: Uint8Array): void {
  const [a, b, c, d, e, f] = matrix;
  const area = a * d - b * c;
  if (Math.abs(area) < 1e-9) return;
  const [left, right] = range([e, e + a, e + c, e + a + c], sheet.width);
  const [top, bottom] = range([f, f + b, f + d, f + b + d], sheet.height);
  // Supersampling: four dots make a pixel, so that thin strokes survive.
  const steps = picture.width * picture.height > 2 * Math.abs(area) ? [0.25, 0.75] : [0.5];
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      let [sum, count] = [0, 0];
      for (const dy of steps) {
        for (const dx of steps) {
          const [px, py] = [x + dx - e, y + dy - f];
          const gray = sample(picture, (px * d - py * c) / area, (py * a - px * b) / area);
          if (gray === undefined) continue;
          sum += gray;
          count += 1;
        }
      }
      if (count > 0) pixels[y * sheet.width + x] = Math.round(sum / count);
    }
  }
}

function range(places: readonly number[], size: number): [number, number] {
  const within = (place: number) => Math.max(0, Math.min(size, place));
  return [within(Math.floor(Math.min(...places))), within(Math.ceil(Math.max(...places)))];
}

/** The gray of a picture at a place of the unit square, whose origin is at the bottom left. */
function sample({ width, height, kind, data }: Decoded, u: number, v: number): number | undefined {
  if (u < 0 || u >= 1 || v <= 0 || v > 1) return undefined;
  const [x, y] = [Math.floor(u * width), Math.floor((1 - v) * height)];
  if (kind === 2 || kind === 3) {
    const at = (y * width + x) * (kind + 1);
    const gray = 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!;
    return kind === 3 ? WHITE + ((gray - WHITE) * data[at + 3]!) / WHITE : gray;
  }
  const bit = (data[y * ((width + 7) >> 3) + (x >> 3)]! >> (7 - (x & 7))) & 1;
  if (kind === undefined && bit === 1) return undefined;
  return bit * WHITE;
}

function multiply(m: Matrix, n: Matrix): Matrix {
  return [
    m[0] * n[0] + m[2] * n[1],
    m[1] * n[0] + m[3] * n[1],
    m[0] * n[2] + m[2] * n[3],
    m[1] * n[2] + m[3] * n[3],
    m[0] * n[4] + m[2] * n[5] + m[4],
    m[1] * n[4] + m[3] * n[5] + m[5],
  ];
}
