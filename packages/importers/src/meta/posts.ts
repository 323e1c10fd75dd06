import { posix } from "node:path";
import type { ImportedItem } from "@rungs/contract";
import { yieldWithFiles } from "../chat/message-items.ts";
import type { FileKind } from "../export/file-kinds.ts";
import type { JsonElement } from "../json/read-elements.ts";
import {
  asEpoch,
  asInteger,
  asObject,
  asObjects,
  asText,
  type ExportedObject,
  isObject,
} from "../json/values.ts";
import { digest, findMetaMedia, type MetaContext } from "./context.ts";
import { repairValue } from "./repair-text.ts";

/** Facebook posts: text, links and media in a list of attachments. */
export const facebookPosts: FileKind<MetaContext> = {
  noun: "post",
  path: /(?:^|\/)(?:your_)?(?:posts|uncategorized_photos|videos)[^/]*\.json$/i,
  isOwn: (head) =>
    /^\s*\[\s*\{/.test(head) &&
    /"timestamp"\s*:\s*\d/.test(head) &&
    /"attachments"\s*:\s*\[\s*\{\s*"data"|"data"\s*:\s*\[\s*\{\s*"(?:post|update_timestamp|backdated_timestamp)"/.test(
      head,
    ),
  read: (element, context) => readPost(element, context, "post", parseFacebook),
};

/** Instagram posts: media with captions. */
export const instagramPosts: FileKind<MetaContext> = {
  noun: "post",
  path: /(?:^|\/)(?:posts|archived_posts|igtv_videos|other_content)[^/]*\.json$/i,
  isOwn: (head) =>
    /^\s*\[\s*\{/.test(head) && /"media"\s*:\s*\[/.test(head) && /"creation_timestamp"\s*:/.test(head),
  read: (element, context) => readPost(element, context, "post", parseInstagram),
};

/** Instagram reels and stories. */
export const [reels, stories] = (["ig_reels_media", "ig_stories"] as const).map(
  (list, at): FileKind<MetaContext> => ({
    noun: at === 0 ? "reel" : "story",
    path: /(?:^|\/)(?:reels|stories)[^/]*\.json$/i,
    isOwn: (head) => new RegExp(`^\\s*\\{\\s*"${list}"\\s*:\\s*\\[`).test(head),
    list,
    read: (element, context) => readPost(element, context, at === 0 ? "reel" : "story", parseInstagram),
  }),
) as [FileKind<MetaContext>, FileKind<MetaContext>];

interface Post {
  readonly posted: unknown;
  readonly data: { readonly text: string } & Readonly<Record<string, unknown>>;
  readonly media: readonly ExportedObject[];
}

async function* readPost(
  { value, place, file }: JsonElement,
  context: MetaContext,
  kind: string,
  parse: (post: ExportedObject) => Post,
): AsyncGenerator<ImportedItem> {
  if (!isObject(value)) {
    yield { kind: "rejected", place, reason: `Not a ${kind}.` };
    return;
  }
  const { posted, data, media } = parse(asObject(repairValue(value)));
  const posted_at = asEpoch(posted, 0.001);
  const names = media.map(({ uri }) => posix.basename(asText(uri) ?? ""));
  if (posted_at === undefined && data.text === "" && media.length === 0) {
    yield { kind: "rejected", place, reason: `Not a ${kind}: it has no time, text or file.` };
    return;
  }
  yield* yieldWithFiles(context.source, {
    stream: "posts",
    place,
    key: [kind, String(asInteger(posted) ?? ""), digest(data.text, names, data.links)],
    shared: {},
    data: { ...data, kind, posted_at },
    files: await Promise.all(media.map((each) => findMetaMedia(context, file, each))),
  });
}

function parseFacebook(post: ExportedObject): Post {
  const parts = asObjects(post.attachments).flatMap(({ data }) => asObjects(data));
  const media = parts.flatMap((part) => asObjects([part.media]));
  const texts = [
    ...asObjects(post.data).map((part) => part.post),
    ...parts.map((part) => part.text),
    ...media.map(({ description }) => description),
  ].flatMap((text) => asText(text) ?? []);
  const links = parts.flatMap((part) => asText(asObject(part.external_context).url) ?? []);
  const place = parts.map((part) => asText(asObject(part.place).name)).find((name) => name !== undefined);
  const text = [...new Set(texts)].join("\n");
  return { posted: post.timestamp, data: { text, title: asText(post.title), links, place }, media };
}

/** A post with one picture stores its caption and time on the media item. */
function parseInstagram(post: ExportedObject): Post {
  const listed = asObjects(post.media);
  const media = listed.length > 0 ? listed : asText(post.uri) ? [post] : [];
  const texts = [post, ...media].flatMap(({ title }) => asText(title) ?? []);
  return {
    posted: post.creation_timestamp ?? media[0]?.creation_timestamp,
    data: { text: [...new Set(texts)].join("\n") },
    media,
  };
}
