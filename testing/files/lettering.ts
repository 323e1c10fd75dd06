/** Pictures of letters, like those from a scanner, for tests of OCR. */
import { crc32, deflateSync } from "node:zlib";

/** A gray picture: a byte for each pixel, from the top left. */
export interface GrayPicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Buffer;
}

/** Letters as rows of dots. */
const LETTERS: Readonly<Record<string, string>> = {
  " ": "000 000 000 000 000 000 000",
  A: "00100 01010 01010 10001 11111 10001 10001",
  E: "11111 10000 10000 11110 10000 10000 11111",
  H: "10001 10001 10001 11111 10001 10001 10001",
  I: "111 010 010 010 010 010 111",
  O: "01110 10001 10001 10001 10001 10001 01110",
  S: "01111 10000 10000 01110 00001 00001 11110",
  T: "11111 00100 00100 00100 00100 00100 00100",
};

const DOT = 4;
const MARGIN = 40;
const LINE = 12;

/** Draws lines of capital letters with a pen of round dots. */
export function drawLetters(lines: readonly string[]): GrayPicture {
  const glyphs = lines.map((line) => Array.from(line, (letter) => LETTERS[letter]!.split(" ")));
  const widths = glyphs.map((line) => line.reduce((sum, [row]) => sum + (row!.length + 1.25) * DOT, 0));
  const width = Math.ceil(Math.max(...widths)) + 2 * MARGIN;
  const height = lines.length * LINE * DOT + 2 * MARGIN;
  const pixels = Buffer.alloc(width * height, 255);
  for (const [number, line] of glyphs.entries()) {
    let left = MARGIN;
    for (const rows of line) {
      for (const [y, row] of rows.entries()) {
        for (const [x, dot] of [...row].entries()) {
          const middle = [left + (x + 0.5) * DOT, MARGIN + (number * LINE + y + 0.5) * DOT] as const;
          if (dot === "1") drawDot(pixels, width, middle);
        }
      }
      left += (rows[0]!.length + 1.25) * DOT;
    }
  }
  return { width, height, pixels };
}

const RADIUS = DOT * 0.75;

function drawDot(pixels: Buffer, width: number, [cx, cy]: readonly [number, number]): void {
  for (let y = Math.floor(cy - RADIUS); y <= cy + RADIUS; y += 1) {
    for (let x = Math.floor(cx - RADIUS); x <= cx + RADIUS; x += 1)
      if (Math.hypot(x + 0.5 - cx, y + 0.5 - cy) < RADIUS) pixels[y * width + x] = 0;
  }
}

/** Writes a PNG (ISO/IEC 15948). */
export function makePng({ width, height, pixels }: GrayPicture): Buffer {
  const chunk = (name: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, check]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.alloc(1), pixels.subarray(y * width, (y + 1) * width)]),
  );
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The content of a PDF page that shows a picture at this place, in strips of `rows` pixels, a bit for each pixel. */
export function drawOnPage({ width, height, pixels }: GrayPicture, rows = height): Buffer {
  const strips: Buffer[] = [];
  for (let top = 0; top < height; top += rows) {
    const count = Math.min(rows, height - top);
    const bits = Buffer.alloc(Math.ceil(width / 8) * count);
    for (let y = 0; y < count; y += 1) {
      for (let x = 0; x < width; x += 1)
        if (pixels[(top + y) * width + x]! > 127)
          bits[y * Math.ceil(width / 8) + (x >> 3)]! |= 0x80 >> (x & 7);
    }
    const bottom = 700 - top - count;
    strips.push(
      Buffer.from(`q ${width} 0 0 ${count} 20 ${bottom} cm BI /W ${width} /H ${count} /BPC 1 /CS /G ID `),
      bits,
      Buffer.from("\nEI Q\n"),
    );
  }
  return Buffer.concat(strips);
}
