import type { ImportedItem } from "@rungs/contract";
import { yieldWithFiles } from "../chat/message-items.ts";
import type { FileKind } from "../export/file-kinds.ts";
import { type JsonElement, readElements } from "../json/read-elements.ts";
import { asId, asInteger, asObject, asObjects, asText, asTime, type ExportedObject } from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { findAssigned, toJsonFile } from "./assigned-file.ts";
import {
  digestNote,
  findFirstPost,
  findTwitterMedia,
  nameAccount,
  readIdTime,
  type TwitterContext,
} from "./context.ts";

/** A kind of list, by the name that its files assign. */
export function defineList(
  noun: string,
  assigned: RegExp,
  read: FileKind<TwitterContext>["read"],
): FileKind<TwitterContext> {
  return {
    noun,
    path: /\.js(?:on)?$/i,
    isOwn: (head) => assigned.test(findAssigned(head) ?? ""),
    split: (file, done) => readElements([toJsonFile(file)], { noun, done }),
    read,
  };
}

export const posts = defineList("post", /^(?:deleted_|community_)?tweets?$/, readPost);
export const notes = defineList("note", /^note_tweet$/, readNote);
export const likes = defineList("like", /^like$/, readLike);
/** The account itself, which `prepareTwitter` reads. */
export const accounts = defineList("account", /^account$/, function* () {});

const MEDIA_FOLDERS = [
  "tweets_media",
  "tweet_media",
  "deleted_tweets_media",
  "community_tweet_media",
  "tweets_media_extra",
];

async function* readPost(
  { value, place, file }: JsonElement,
  context: TwitterContext,
): AsyncGenerator<ImportedItem> {
  const tweet = asObject(asObject(value).tweet ?? value);
  const id = asId(tweet.id_str) ?? asId(tweet.id);
  if (id === undefined) {
    yield { kind: "rejected", place, reason: "Not a post: it has no id." };
    return;
  }
  const entities = asObject(tweet.entities);
  const media = asObjects(asObject(tweet.extended_entities).media ?? entities.media);
  const reply_to_id = asId(tweet.in_reply_to_status_id_str);
  const text = asText(tweet.full_text) ?? asText(tweet.text) ?? "";
  yield* yieldWithFiles(context.source, {
    stream: "posts",
    place,
    key: [id],
    shared: {},
    data: {
      thread_id: findFirstPost(context, id),
      author: context.owner.name,
      text: renderText(text, asObjects(entities.urls), media),
      posted_at: readPostTime(tweet.created_at) ?? readIdTime(id),
      kind: reply_to_id !== undefined ? "reply" : /^RT @\w+:/.test(text) ? "repost" : "post",
      reply_to_id,
      reply_to: nameAccount(tweet.in_reply_to_screen_name),
      mentions: asObjects(entities.user_mentions).flatMap(
        ({ screen_name }) => nameAccount(screen_name) ?? [],
      ),
      tags: asObjects(entities.hashtags).flatMap((tag) => asText(tag.text) ?? []),
      links: asObjects(entities.urls).flatMap(
        ({ expanded_url, url }) => asText(expanded_url) ?? asText(url) ?? [],
      ),
      language: asText(tweet.lang),
      like_count: asInteger(tweet.favorite_count),
      repost_count: asInteger(tweet.retweet_count),
      is_deleted: tweet.deleted_at === undefined ? undefined : true,
    },
    files: await Promise.all(
      media.flatMap((each) => {
        const url = findMediaAddress(each);
        return url === undefined ? [] : findTwitterMedia(context, { file, folders: MEDIA_FOLDERS, id, url });
      }),
    ),
  });
}

/** The URL of a picture, or of the best variant of a video, which is the one in the archive. */
function findMediaAddress(media: ExportedObject): string | undefined {
  const variants = asObjects(asObject(media.video_info).variants)
    .filter(({ url }) => asText(url) !== undefined)
    .toSorted((a, b) => (asInteger(b.bitrate) ?? 0) - (asInteger(a.bitrate) ?? 0));
  return asText(variants[0]?.url) ?? asText(media.media_url_https) ?? asText(media.media_url);
}

/** Expands short URLs; drops that of a picture. */
function renderText(text: string, urls: readonly ExportedObject[], media: readonly ExportedObject[]): string {
  let shown = text;
  for (const { url, expanded_url } of urls) {
    const [short, long] = [asText(url), asText(expanded_url)];
    if (short !== undefined && long !== undefined) shown = shown.replaceAll(short, () => long);
  }
  for (const { url } of media) shown = shown.replaceAll(asText(url) ?? "\0", "");
  return unescapeText(shown).trim();
}

/** The archive escapes these three characters. */
function unescapeText(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `Wed Oct 10 20:19:24 +0000 2018`. */
function readPostTime(value: unknown): string | undefined {
  const [, month = "", day, clock, sign, hours, minutes, year] =
    /^\w{3} (\w{3}) (\d\d?) (\d\d:\d\d:\d\d) ([+-])(\d\d)(\d\d) (\d{4})$/.exec(asText(value) ?? "") ?? [];
  const number = MONTHS.indexOf(month) + 1;
  if (number === 0) return asTime(value);
  const date = `${year}-${String(number).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
  return asTime(`${date}T${clock}${sign}${hours}:${minutes}`);
}

/** The full text of a long post, which has its own id. */
function* readNote({ value, place }: JsonElement, { owner }: TwitterContext): Generator<ImportedItem> {
  const note = asObject(asObject(value).noteTweet);
  const core = asObject(note.core);
  const text = asText(core.text);
  if (text === undefined) {
    yield { kind: "rejected", place, reason: "Not a long post: it has no text." };
    return;
  }
  const id = joinKey("note", asId(note.noteTweetId) ?? digestNote(text));
  yield toRecordItem("posts", place, {
    id,
    thread_id: id,
    author: owner.name,
    text,
    posted_at: asTime(note.createdAt),
    kind: "note",
    mentions: asObjects(core.mentions).flatMap(({ screenName }) => nameAccount(screenName) ?? []),
    tags: asObjects(core.hashtags).flatMap((tag) => asText(tag.text) ?? []),
    links: asObjects(core.urls).flatMap(({ expandedUrl }) => asText(expandedUrl) ?? []),
  });
}

function* readLike({ value, place }: JsonElement): Generator<ImportedItem> {
  const like = asObject(asObject(value).like);
  const id = asId(like.tweetId);
  if (id === undefined) {
    yield { kind: "rejected", place, reason: "Not a liked post: it has no tweetId." };
    return;
  }
  yield toRecordItem("likes", place, {
    id: joinKey(id),
    text: unescapeText(asText(like.fullText) ?? ""),
    posted_at: readIdTime(id),
    url: asText(like.expandedUrl),
  });
}
