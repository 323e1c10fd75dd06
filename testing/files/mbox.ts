/** A mailbox of any size, the same for the same seed: plain text, HTML, Japanese, threads, and attachments, some of them repeated. */
import { closeSync, openSync, writeSync } from "node:fs";
import { createRandom } from "../random.ts";

/** The size of a mailbox. */
export interface MboxSize {
  readonly bytes: number;
  readonly seed?: number;
}

const WORDS =
  "tea river invoice harbour meeting garden window letter train winter market paper music signal bridge answer 会議 東京 資料 明日 brød café naïve";
const words = WORDS.split(" ");
const PIECE_MESSAGES = 50;

/** Writes a mailbox of about the requested size; returns its number of messages. */
export function writeMbox(file: string, { bytes, seed = 1 }: MboxSize): number {
  const handle = openSync(file, "w");
  const source = createMessages(seed);
  let messages = 0;
  let written = 0;
  while (written < bytes) {
    let piece = "";
    for (let at = 0; at < PIECE_MESSAGES; at += 1) piece += source.next().value;
    written += writeSync(handle, piece);
    messages += PIECE_MESSAGES;
  }
  closeSync(handle);
  return messages;
}

/** Messages without end, each with the line that begins it in a mailbox; the same for the same seed. */
export function* createMessages(seed = 1): Generator<string> {
  const random = createRandom(seed);
  for (let number = 0; ; number += 1) yield writeMessage(number, random);
}

function writeMessage(number: number, random: () => number): string {
  const pick = () => words[Math.floor(random() * words.length)];
  const sentences = (count: number) =>
    Array.from({ length: count }, () => `${Array.from({ length: 12 }, pick).join(" ")}.\n`).join("");
  const date = new Date(1.6e12 + number * 60_000).toUTCString().replace("GMT", "+0000");
  const head = [
    `From sender@example.org ${new Date(1.6e12).toUTCString()}`,
    `Message-ID: <m${number}@example.org>`,
    ...(number % 5 === 0 ? [] : [`In-Reply-To: <m${number - (number % 5)}@example.org>`]),
    `From: Sender ${number % 17} <sender${number % 17}@example.org>`,
    "To: Reader <reader@example.org>",
    `Subject: ${pick()} ${pick()} ${number}`,
    `Date: ${date}`,
    "MIME-Version: 1.0",
  ].join("\n");
  const text = sentences(10 + Math.floor(random() * 30));
  if (number % 7 === 3) return `${head}\nContent-Type: text/html; charset=utf-8\n\n<p>${text}</p>\n\n`;
  if (number % 10 !== 9) return `${head}\nContent-Type: text/plain; charset=utf-8\n\n${text}\n`;
  return `${head}\nContent-Type: multipart/mixed; boundary=b${number}\n\n${attach(number, text, random)}\n`;
}

/** Every other attachment is one of a few, so that bytes repeat. */
function attach(number: number, text: string, random: () => number): string {
  const mark = number % 20 === 9 ? `recurring ${number % 3}` : `only ${number} ${random()}`;
  const bytes = Buffer.from(`${mark}\n`.repeat(400)).toString("base64");
  const lines = bytes.match(/.{1,76}/g)?.join("\n") ?? "";
  return [
    `--b${number}`,
    "Content-Type: text/plain; charset=utf-8",
    "",
    text,
    `--b${number}`,
    `Content-Type: application/octet-stream; name="data-${number}.bin"`,
    "Content-Transfer-Encoding: base64",
    `Content-Disposition: attachment; filename="data-${number}.bin"`,
    "",
    lines,
    `--b${number}--`,
    "",
  ].join("\n");
}
