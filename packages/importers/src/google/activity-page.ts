import type { RejectedItem } from "@rungs/contract";
import { htmlToText } from "../extract/html-text.ts";
import type { FileEntry } from "../files/files.ts";
import { formatResume } from "../files/resume.ts";
import type { JsonElement } from "../json/read-elements.ts";
import type { GoogleContext } from "./context.ts";
import { parseWrittenTime } from "./written-time.ts";

const ITEM = '<div class="outer-cell';
const ITEM_MAX_CHARS = 4 * 1024 * 1024;

/** Splits a page of activities, of any size, into elements like those of the JSON form. */
export async function* splitActivityPage(
  file: FileEntry,
  done: number,
  { source: { time_zone } }: GoogleContext,
): AsyncGenerator<JsonElement | RejectedItem> {
  let number = 0;
  for await (const html of splitItems(file)) {
    number += 1;
    if (number <= done) continue;
    const place = `${file.path}, activity ${number}`;
    const checkpoint = formatResume(file.path, number);
    if (html === undefined) {
      yield { kind: "rejected", place, checkpoint, reason: `It has more than ${ITEM_MAX_CHARS} characters.` };
    } else yield { kind: "element", file, place, checkpoint, value: parseActivity(html, time_zone) };
  }
}

/** The HTML of each activity; undefined for one beyond the limit. */
async function* splitItems(file: FileEntry): AsyncGenerator<string | undefined> {
  const decoder = new TextDecoder();
  let held = "";
  let isInside = false;
  let isCut = false;
  for await (const chunk of file.open()) {
    const pieces = (held + decoder.decode(chunk, { stream: true })).split(ITEM);
    held = pieces.pop() ?? "";
    for (const piece of pieces) {
      if (isInside) yield isCut ? undefined : piece;
      isInside = true;
      isCut = false;
    }
    if (held.length <= ITEM_MAX_CHARS) continue;
    isCut = true;
    // The marker may begin at the end of the dropped part.
    held = held.slice(-ITEM.length);
  }
  if (isInside) yield isCut ? undefined : held;
}

const CELL = /<div class="(?:header-cell|content-cell)\b([^"]*)">/;
const BREAK = /<br\s*\/?>/i;
/** How many lines to scan for the time, and how much of each. */
const LINES_MAX = 200;
const LINE_MAX_CHARS = 400;

/** One activity: a header with the product, a cell with what was done and when, a cell with details. */
function parseActivity(html: string, time_zone: string | undefined): object {
  const pieces = html.split(CELL);
  const cells = pieces.flatMap((piece, at) =>
    at % 2 === 1 ? [{ style: piece, html: pieces[at + 1] ?? "" }] : [],
  );
  const header = cells[0]?.style.includes("mdl-typography") ? undefined : cells[0];
  const body = cells.find(({ style }) => style.includes("body-1") && !style.includes("text-right"));
  const caption = cells.find(({ style }) => style.includes("caption"));
  return {
    ...parseBody(body?.html ?? "", time_zone),
    header: header && readText(header.html),
    details: parseCaption(caption?.html ?? "").map((name) => ({ name })),
  };
}

/** Lines: what was done, further lines such as the channel of a video, the time, and then an answer if there is one. */
function parseBody(html: string, time_zone: string | undefined): object {
  const lines = html.split(BREAK);
  const times = lines
    .slice(0, LINES_MAX)
    .map((line) => parseWrittenTime(readText(line.slice(0, LINE_MAX_CHARS)), time_zone));
  const timeAt = times.findIndex((timeMs) => timeMs !== undefined);
  const timeMs = times[timeAt];
  const before = timeAt < 0 ? lines.slice(0, LINES_MAX) : lines.slice(0, timeAt);
  const shown = before.map(readText).filter((line) => line !== "");
  const answer = readText(lines.slice(before.length + (timeAt < 0 ? 0 : 1)).join("<br>"));
  // What comes before an answer is the prompt, of any number of lines.
  const titleLines = answer === "" ? 1 : shown.length;
  return {
    title: shown.slice(0, titleLines).join("\n"),
    titleUrl: htmlToText(before[0] ?? "").links[0],
    subtitles: shown.slice(titleLines).map((name) => ({ name })),
    time: timeMs === undefined ? undefined : new Date(timeMs).toISOString(),
    description: answer,
  };
}

/** The details without their headings, which are bold, and without the product, which is the header. */
function parseCaption(html: string): string[] {
  const [, ...sections] = html.split(/<b>[^<]*<\/b>/i);
  return sections.slice(1).flatMap((section) =>
    section
      .split(BREAK, LINES_MAX)
      .map(readText)
      .filter((line) => line !== ""),
  );
}

function readText(html: string): string {
  return htmlToText(html)
    .text.replaceAll(/[\u00a0\u2003]/g, " ")
    .trim();
}
