import type { ImportedItem } from "@rungs/contract";
import {
  integerOf,
  isObject,
  type JsonObject,
  listOf,
  objectOf,
  objectsOf,
  textOf,
  timeOf,
} from "../json/values.ts";
import { keyOf, recordItem } from "../record-item.ts";
import { listToolCitations, readMessageText } from "./message-text.ts";

/** The records of a conversation: itself, its messages, and the texts of what was uploaded. */
export function* readConversation(value: JsonObject, place: string): Generator<ImportedItem> {
  const id = textOf(value.uuid);
  if (id === undefined) {
    yield { kind: "rejected", place, reason: "It is no conversation: it has no uuid." };
    return;
  }
  const messages = listOf(value.chat_messages);
  const title = textOf(value.name);
  yield recordItem("conversations", place, {
    id: keyOf(id),
    title,
    summary: textOf(value.summary),
    created_at: timeOf(value.created_at),
    updated_at: timeOf(value.updated_at),
    message_count: messages.length,
    project_id: textOf(value.project_uuid) ?? textOf(objectOf(value.project).uuid),
  });
  for (const [at, message] of messages.entries()) {
    yield* readMessage(
      { conversation_id: keyOf(id), conversation: title },
      message,
      `${place}, message ${at + 1}`,
    );
  }
}

interface Context {
  readonly conversation_id: string;
  readonly conversation?: string | undefined;
}

function* readMessage(context: Context, value: unknown, place: string): Generator<ImportedItem> {
  const message = objectOf(value);
  const uuid = textOf(message.uuid);
  if (!isObject(value) || uuid === undefined) {
    yield { kind: "rejected", place, reason: "It is no message: it has no uuid." };
    return;
  }
  const id = keyOf(uuid);
  const sent_at = timeOf(message.created_at);
  const uploads = objectsOf(message.attachments);
  const attachment_ids = uploads.map((_, at) => keyOf(uuid, String(at + 1)));
  yield recordItem("messages", place, {
    id,
    ...context,
    parent_id: parentOf(message),
    role: textOf(message.sender),
    sent_at,
    updated_at: timeOf(message.updated_at),
    ...readMessageText(message),
    attachment_ids,
    file_names: listFileNames(message),
    citations: listToolCitations(message),
  });
  for (const [at, upload] of uploads.entries()) {
    yield recordItem("attachments", `${place}, attachment ${at + 1}`, {
      id: attachment_ids[at]!,
      message_id: id,
      ...context,
      sent_at,
      ...readUpload(upload),
    });
  }
}

/** The first message's parent is a root that is no message. */
function parentOf({ parent_message_uuid }: JsonObject): string | undefined {
  const parent = textOf(parent_message_uuid);
  return parent === undefined || parent.startsWith("00000000-0000-4000-8000") ? undefined : keyOf(parent);
}

function listFileNames({ files, files_v2 }: JsonObject): string[] {
  const names = [...objectsOf(files), ...objectsOf(files_v2)].flatMap(
    ({ file_name }) => textOf(file_name) ?? [],
  );
  return [...new Set(names)];
}

/** The export's only copy of an upload is the text that was taken out of it. */
function readUpload({ file_name, file_type, file_size, extracted_content }: JsonObject): object {
  return {
    name: textOf(file_name) ?? "pasted text",
    mime_type: textOf(file_type),
    size_bytes: integerOf(file_size),
    text: textOf(extracted_content),
  };
}
