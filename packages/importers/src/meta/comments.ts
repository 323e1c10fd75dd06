import type { ImportedItem } from "@rungs/contract";
import { yieldWithFiles } from "../chat/message-items.ts";
import type { FileKind } from "../export/file-kinds.ts";
import type { JsonElement } from "../json/read-elements.ts";
import { asEpoch, asId, asObject, asObjects, asText, type ExportedObject, isObject } from "../json/values.ts";
import { digest, findMetaMedia, type MetaContext } from "./context.ts";
import { repairValue } from "./repair-text.ts";

/** Lists of comments by the member that holds them; undefined for a file that is a list. */
const LISTS = [
  "comments_v2",
  "comments",
  "group_comments_v2",
  "comments_reels_comments",
  "comments_story_comments",
];

/** Facebook and Instagram comments, in each of their files. */
export const comments: readonly FileKind<MetaContext>[] = [...LISTS, undefined].map((list) => ({
  noun: "comment",
  path: /(?:^|\/)[^/]*(?:comments|hype)[^/]*\.json$/i,
  isOwn: (head) =>
    new RegExp(list === undefined ? "^\\s*\\[\\s*\\{" : `^\\s*\\{\\s*"${list}"\\s*:\\s*\\[`).test(head) &&
    /"(?:string_map_data|comment)"\s*:\s*\{/.test(head),
  list,
  read: readComment,
}));

async function* readComment(
  { value, place, file }: JsonElement,
  context: MetaContext,
): AsyncGenerator<ImportedItem> {
  const item = asObject(repairValue(value));
  const comment = isObject(item.string_map_data) ? parseInstagram(item.string_map_data) : parseFacebook(item);
  const { written, text, ...data } = comment;
  if (text === undefined && written === undefined) {
    yield { kind: "rejected", place, reason: "Not a comment: it has neither a text nor a time." };
    return;
  }
  const media = [
    ...asObjects(item.media_list_data),
    ...asObjects(item.attachments).flatMap((each) =>
      asObjects(each.data).flatMap((part) => asObjects([part.media])),
    ),
  ].filter(({ uri }) => asText(uri) !== undefined);
  yield* yieldWithFiles(context.source, {
    stream: "comments",
    place,
    key: ["comment", asId(written) ?? "", digest(text, data)],
    shared: {},
    data: { text, written_at: asEpoch(written, 0.001), ...data },
    files: await Promise.all(media.map((each) => findMetaMedia(context, file, each))),
  });
}

interface Comment {
  readonly text: string | undefined;
  readonly written: unknown;
  readonly [field: string]: unknown;
}

function parseFacebook(item: ExportedObject): Comment {
  const comment = asObject(asObjects(item.data)[0]?.comment);
  return {
    text: asText(comment.comment),
    written: comment.timestamp ?? item.timestamp,
    title: asText(item.title),
    author: asText(comment.author),
    owner: asText(comment.group),
  };
}

/** Names of members are in the language of the account; the comment comes before the owner of the post. */
function parseInstagram(map: ExportedObject): Comment {
  const members = Object.values(map).map(asObject);
  const values = members.flatMap(({ value }) => asText(value) ?? []);
  const text = asText(asObject(map.Comment).value) ?? values[0];
  const owner = asText(asObject(map["Media Owner"]).value) ?? values.find((value) => value !== text);
  return { text, owner, written: members.find(({ timestamp }) => timestamp !== undefined)?.timestamp };
}
