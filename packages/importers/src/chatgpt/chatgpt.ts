import type { ImportedItem } from "@rungs/contract";
import { storeAttachment } from "../chat/attachments.ts";
import type { FileEntry } from "../files/files.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { hasJsonFiles, type JsonFormat, requireJsonFiles } from "../json/json-format.ts";
import { readElements } from "../json/read-elements.ts";
import { flagOf, isObject, type JsonObject, objectOf, textOf, timeOf } from "../json/values.ts";
import { keyOf, recordItem, withCheckpoint } from "../record-item.ts";
import { indexAssets, listAssets } from "./assets.ts";
import { chatgptManifest } from "./manifest.ts";
import { listCitations, renderContent } from "./message-text.ts";
import { type MessageNode, readTree } from "./tree.ts";

const conversations: JsonFormat = {
  label: "ChatGPT export",
  names: /^conversations(?:-\d+)?\.json$/,
  // Inside a JSON text a quote is escaped, so this can only be the member itself.
  isOwn: (head) => /^\s*[[{]/.test(head) && /"mapping"\s*:\s*\{/.test(head),
};

/** Reads ChatGPT's export: `conversations.json` or its numbered parts, alone or with the files beside them. */
export const chatgpt: Importer = {
  id: "chatgpt",
  label: conversations.label,
  manifest: chatgptManifest,
  matches: (files) => hasJsonFiles(files, conversations),
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
  const id = isObject(value) ? (textOf(value.conversation_id) ?? textOf(value.id)) : undefined;
  if (!isObject(value) || id === undefined || !isObject(value.mapping)) {
    yield { kind: "rejected", place, reason: "It is no conversation: it has no id or no mapping." };
    return;
  }
  const tree = readTree(value);
  const conversation: Conversation = { id, title: textOf(value.title) };
  yield recordItem("conversations", place, {
    id: keyOf(id),
    title: conversation.title,
    created_at: timeOf(value.create_time),
    updated_at: timeOf(value.update_time),
    current_message_id: tree.current_id === undefined ? undefined : keyOf(id, tree.current_id),
    model: textOf(value.default_model_slug),
    message_count: tree.nodes.length,
    branch_count: tree.branch_count,
    is_archived: flagOf(value.is_archived),
    is_starred: flagOf(value.is_starred),
    gizmo_id: textOf(value.gizmo_id),
    origin: textOf(value.conversation_origin),
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
  const id = keyOf(conversation.id, node_id);
  const sent_at = timeOf(message.create_time);
  const common = {
    conversation_id: keyOf(conversation.id),
    conversation: conversation.title,
    sent_at,
    is_current,
  };
  const files = listAssets(message);
  const attachment_ids = files.map(({ asset_id }) => keyOf(conversation.id, node_id, asset_id));
  yield recordItem("messages", `${place}, node ${node_id}`, {
    id,
    ...common,
    ...describeMessage(message),
    parent_id: node.parent_id === undefined ? undefined : keyOf(conversation.id, node.parent_id),
    attachment_ids,
  });
  for (const [at, { asset_id, ...asset }] of files.entries()) {
    const entry = assets.get(asset_id);
    const name = asset.name ?? entry?.path.slice(entry.path.lastIndexOf("/") + 1) ?? asset_id;
    const content = entry ? await storeAttachment(source, entry, { ...asset, name }) : {};
    const data = { id: attachment_ids[at]!, message_id: id, ...common, ...asset, name, ...content };
    yield recordItem("attachments", `${place}, node ${node_id}, file ${at + 1}`, data);
  }
}

function describeMessage(message: JsonObject): object {
  const content = objectOf(message.content);
  const author = objectOf(message.author);
  const metadata = objectOf(message.metadata);
  const recipient = textOf(message.recipient);
  return {
    role: textOf(author.role),
    author: textOf(author.name),
    recipient: recipient === "all" ? undefined : recipient,
    updated_at: timeOf(message.update_time),
    text: renderContent(content),
    content_type: textOf(content.content_type),
    language: textOf(content.language),
    model: textOf(metadata.model_slug),
    status: textOf(message.status),
    is_hidden: flagOf(metadata.is_visually_hidden_from_conversation),
    citations: listCitations(metadata),
  };
}
