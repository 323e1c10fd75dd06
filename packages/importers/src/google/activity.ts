/** My Activity and the history of YouTube, as JSON and as HTML: searches, videos, prompts and answers of Gemini. */
import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { ImportedItem } from "@rungs/contract";
import { yieldWithFiles } from "../chat/message-items.ts";
import type { FileKind } from "../export/file-kinds.ts";
import { htmlToText } from "../extract/html-text.ts";
import type { JsonElement } from "../json/read-elements.ts";
import {
  asObject,
  asObjects,
  asText,
  asTexts,
  asTime,
  type ExportedObject,
  isObject,
} from "../json/values.ts";
import { splitActivityPage } from "./activity-page.ts";
import { findSibling, type GoogleContext } from "./context.ts";

/** Activity as JSON. */
export const activityLists: FileKind<GoogleContext> = {
  noun: "activity",
  path: /\.json$/i,
  isOwn: (head) =>
    /^\s*\[\s*\{/.test(head) &&
    /"time"\s*:\s*"\d{4}-/.test(head) &&
    /"title"\s*:/.test(head) &&
    /"(?:header|products)"\s*:/.test(head),
  read: readActivity,
};

/** Activity as HTML, which is what Takeout gives unless asked for JSON. */
export const activityPages: FileKind<GoogleContext> = {
  noun: "activity",
  path: /\.html?$/i,
  isOwn: (head) =>
    /<title>[^<]*<\/title>/i.test(head) && /\.(?:outer|content)-cell|class="outer-cell /.test(head),
  split: splitActivityPage,
  read: readActivity,
};

async function* readActivity(
  { value, place, file }: JsonElement,
  context: GoogleContext,
): AsyncGenerator<ImportedItem> {
  const activity = asObject(value);
  const title = asText(activity.title);
  const done_at = asTime(activity.time);
  if (!isObject(value) || (title === undefined && done_at === undefined)) {
    yield { kind: "rejected", place, reason: "Not an activity: it has neither a title nor a time." };
    return;
  }
  const product = asText(activity.header) ?? asTexts(activity.products)[0];
  const url = asText(activity.titleUrl);
  const details = [activity.subtitles, activity.details, activity.locationInfos].flatMap(nameAll);
  const names = [activity.imageFile, activity.audioFiles, activity.attachedFiles].flatMap(listNames);
  const files = await Promise.all(
    names.map(async (name) => ({
      name: posix.basename(name),
      entry: await findSibling(context, file, posix.basename(name)),
    })),
  );
  const digest = createHash("sha256")
    .update(JSON.stringify([title, url, details]))
    .digest("hex")
    .slice(0, 16);
  yield* yieldWithFiles(context.source, {
    stream: "activity",
    place,
    key: ["activity", product ?? "", done_at ?? "", digest],
    shared: {},
    data: { title, product, done_at, url, details, text: renderAnswer(activity) },
    files,
  });
}

function nameAll(list: unknown): string[] {
  return asObjects(list).flatMap(({ name }) => asText(name) ?? []);
}

/** File names come as a string, or as a list of strings. */
function listNames(value: unknown): string[] {
  return typeof value === "string" ? [value] : asTexts(value);
}

/** Gemini's answers, one after another where it answered again, and descriptions. */
function renderAnswer({ description, safeHtmlItem }: ExportedObject): string {
  const answers = asObjects(safeHtmlItem).flatMap(({ html }) => {
    const page = asText(html);
    return page === undefined ? [] : htmlToText(page).text;
  });
  return [asText(description), ...answers].filter((part) => part !== undefined && part !== "").join("\n\n");
}
