import type { ImportedItem } from "@rungs/contract";
import { storeAttachment } from "../chat/attachments.ts";
import type { FileEntry } from "../files/files.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { type JsonFormat, recogniseJson, requireJsonFiles } from "../json/json-format.ts";
import { readElements } from "../json/read-elements.ts";
import {
  asFlag,
  asList,
  asObject,
  asObjects,
  asText,
  asTime,
  type ExportedObject,
  isObject,
} from "../json/values.ts";
import { joinKey, toRecordItem, withCheckpoint } from "../record-item.ts";
import { indexAssets, listAssets } from "./assets.ts";
import { chatgptManifest } from "./manifest.ts";
import { type MessageNode, readTree } from "./tree.ts";

const conversations: JsonFormat = {
  label: "ChatGPT export",
  names: /^conversations(?:-\d+)?\.json$/,
  companions:
    /^(?:chat\.html|(?:user|user_settings|message_feedback|model_comparisons|shared_conversations|group_chats|export_manifest)\.json|(?:.*\/)?file[-_][A-Za-z0-9]+[^/]*|dalle-generations\/.*)$/,
  // Quotes inside a JSON string are escaped, so this can only be the member itself.
  isOwn: (head) => /^\s*[[{]/.test(head) && /"mapping"\s*:\s*\{/.test(head),
};

/** Reads ChatGPT's export: `conversations.json` or its numbered parts, alone or with the files beside them. */
export const chatgpt: Importer = {
  id: "chatgpt",
  label: conversations.label,
  get manifest() {
    return chatgptManifest();
  },
  recognition: recogniseJson(conversations),
  read,
};

async function* read(source: ImportSource): AsyncGenerator<ImportedItem> {
  const files = await requireJsonFiles(source.files, conversations);
  const context: Context = { source, assets: await indexAssets(source.files) };
  for await (const element of readElements(files, { noun: "conversation", resume: source.resume })) {
    if (element.kind === "rejected") yield element;
    else yield* withCheckpoint(readConversation(context, element.value, element.place), element.checkpoint);
  }
}

interface Context {
  readonly source: ImportSource;
  readonly assets: ReadonlyMap<string, FileEntry>;
}

async function* readConversation(
  context: Context,
  value: unknown,
  place: string,
): AsyncGenerator<ImportedItem> {
  const id = isObject(value) ? (asText(value.conversation_id) ?? asText(value.id)) : undefined;
  if (!isObject(value) || id === undefined || !isObject(value.mapping)) {
    yield { kind: "rejected", place, reason: "Not a conversation: it has no id or no mapping." };
    return;
  }
  const tree = readTree(value);
  const conversation: Conversation = { id, title: asText(value.title) };
  yield toRecordItem("conversations", place, {
    id: joinKey(id),
    title: conversation.title,
    created_at: asTime(value.create_time),
    updated_at: asTime(value.update_time),
    current_message_id: tree.current_id === undefined ? undefined : joinKey(id, tree.current_id),
    model: asText(value.default_model_slug),
    message_count: tree.nodes.length,
    branch_count: tree.branch_count,
    is_archived: asFlag(value.is_archived),
    is_starred: asFlag(value.is_starred),
    gizmo_id: asText(value.gizmo_id),
    origin: asText(value.conversation_origin),
  });
  for (const node of tree.nodes) yield* readMessage(context, conversation, node, place);
}

interface Conversation {
  readonly id: string;
  readonly title?: string | undefined;
}

async function* readMessage(
  { source, assets }: Context,
  conversation: Conversation,
  node: MessageNode,
  place: string,
): AsyncGenerator<ImportedItem> {
  const { message, node_id, is_current } = node;
  const id = joinKey(conversation.id, node_id);
  const sent_at = asTime(message.create_time);
  const common = {
    conversation_id: joinKey(conversation.id),
    conversation: conversation.title,
    sent_at,
    is_current,
  };
  const files = listAssets(message);
  const attachment_ids = files.map(({ asset_id }) => joinKey(conversation.id, node_id, asset_id));
  yield toRecordItem("messages", `${place}, node ${node_id}`, {
    id,
    ...common,
    ...describeMessage(message),
    parent_id: node.parent_id === undefined ? undefined : joinKey(conversation.id, node.parent_id),
    attachment_ids,
  });
  for (const [at, { asset_id, ...asset }] of files.entries()) {
    const entry = assets.get(asset_id);
    const name = asset.name ?? entry?.path.slice(entry.path.lastIndexOf("/") + 1) ?? asset_id;
    const content = entry ? await storeAttachment(source, entry, { ...asset, name }) : {};
    const data = { id: attachment_ids[at]!, message_id: id, ...common, ...asset, name, ...content };
    yield toRecordItem("attachments", `${place}, node ${node_id}, file ${at + 1}`, data);
  }
}

function describeMessage(message: ExportedObject): object {
  const content = asObject(message.content);
  const author = asObject(message.author);
  const metadata = asObject(message.metadata);
  const recipient = asText(message.recipient);
  return {
    role: asText(author.role),
    author: asText(author.name),
    recipient: recipient === "all" ? undefined : recipient,
    updated_at: asTime(message.update_time),
    text: renderContent(content),
    content_type: asText(content.content_type),
    language: asText(content.language),
    model: asText(metadata.model_slug),
    status: asText(message.status),
    is_hidden: asFlag(metadata.is_visually_hidden_from_conversation),
    citations: listCitations(metadata),
  };
}

/** The text of a message's content of any type: everything that a person could read or hear. */
function renderContent(content: ExportedObject): string {
  const members = MEMBERS.get(asText(content.content_type) ?? "") ?? OTHER_MEMBERS;
  const texts = [
    ...members.map((name) => asText(content[name])),
    ...asList(content.parts).map(renderPart),
    ...asObjects(content.thoughts).flatMap(({ summary, content }) => [asText(summary), asText(content)]),
  ];
  return texts.filter((text) => text !== undefined && text !== "").join("\n");
}

/** The members that hold the text, for content types without parts. */
const MEMBERS = new Map<string, readonly string[]>([
  ["text", []],
  ["multimodal_text", []],
  ["thoughts", []],
  ["tether_quote", ["title", "url", "text"]],
  ["sonic_webpage", ["title", "url", "text"]],
  ["tether_browsing_display", ["result", "summary"]],
  ["user_editable_context", ["user_profile", "user_instructions"]],
  ["model_editable_context", ["model_set_context"]],
]);

const OTHER_MEMBERS = ["title", "name", "text", "result", "content", "summary"];

/** A part is text, or an object of many kinds: a transcription has text, a generated image its prompt. */
function renderPart(part: unknown): string | undefined {
  if (!isObject(part)) return asText(part);
  const prompt = asText(asObject(asObject(part.metadata).dalle).prompt);
  return asText(part.text) ?? prompt;
}

/** The sources that a message cites, each address once. */
function listCitations(metadata: ExportedObject): object[] {
  const named = [
    ...asObjects(metadata.citations).map(({ metadata }) => asObject(metadata)),
    ...asObjects(asObject(metadata._cite_metadata).metadata_list),
    ...asObjects(metadata.content_references).flatMap((one) => [one, ...asObjects(asList(one.items))]),
  ];
  const byAddress = new Map<string, object>();
  for (const { title, url, text, snippet } of named) {
    const address = asText(url);
    if (address === undefined || byAddress.has(address)) continue;
    byAddress.set(address, { title: asText(title), url: address, text: asText(text) ?? asText(snippet) });
  }
  return [...byAddress.values()];
}
