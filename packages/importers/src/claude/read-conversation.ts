import type { ImportedItem } from "@rungs/contract";
import {
  asInteger,
  asList,
  asObject,
  asObjects,
  asText,
  asTime,
  type ExportedObject,
  isObject,
} from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { listCitations, readMessageText } from "./message-text.ts";

/** The records of a conversation: the conversation, its messages, and the texts of uploads. */
export function* readConversation(
  value: ExportedObject,
  place: string,
  noteUnknown: (type: string) => void,
): Generator<ImportedItem> {
  const id = asText(value.uuid);
  if (id === undefined) {
    yield { kind: "rejected", place, reason: "Not a conversation: it has no uuid." };
    return;
  }
  const messages = asList(value.chat_messages);
  const title = asText(value.name);
  yield toRecordItem("conversations", place, {
    id: joinKey(id),
    title,
    summary: asText(value.summary),
    created_at: asTime(value.created_at),
    updated_at: asTime(value.updated_at),
    message_count: messages.length,
    project_id: asText(value.project_uuid) ?? asText(asObject(value.project).uuid),
  });
  for (const [at, message] of messages.entries()) {
    yield* readMessage(
      { conversation_id: joinKey(id), conversation: title, noteUnknown },
      message,
      `${place}, message ${at + 1}`,
    );
  }
}

interface Context {
  readonly conversation_id: string;
  readonly conversation?: string | undefined;
  readonly noteUnknown: (type: string) => void;
}

function* readMessage(
  { noteUnknown, ...context }: Context,
  value: unknown,
  place: string,
): Generator<ImportedItem> {
  const message = asObject(value);
  const uuid = asText(message.uuid);
  if (!isObject(value) || uuid === undefined) {
    yield { kind: "rejected", place, reason: "Not a message: it has no uuid." };
    return;
  }
  const id = joinKey(uuid);
  const sent_at = asTime(message.created_at);
  const uploads = asObjects(message.attachments);
  const attachment_ids = uploads.map((_, at) => joinKey(uuid, String(at + 1)));
  yield toRecordItem("messages", place, {
    id,
    ...context,
    parent_id: findParentId(message),
    role: asText(message.sender),
    sent_at,
    updated_at: asTime(message.updated_at),
    ...readMessageText(message, noteUnknown),
    attachment_ids,
    file_names: listFileNames(message),
    citations: listCitations(message),
  });
  for (const [at, upload] of uploads.entries()) {
    yield toRecordItem("attachments", `${place}, attachment ${at + 1}`, {
      id: attachment_ids[at]!,
      message_id: id,
      ...context,
      sent_at,
      ...readUpload(upload),
    });
  }
}

/** The parent of the first message is a root that is not a message. */
function findParentId({ parent_message_uuid }: ExportedObject): string | undefined {
  const parent = asText(parent_message_uuid);
  return parent === undefined || parent.startsWith("00000000-0000-4000-8000") ? undefined : joinKey(parent);
}

function listFileNames({ files, files_v2 }: ExportedObject): string[] {
  const names = [...asObjects(files), ...asObjects(files_v2)].flatMap(
    ({ file_name }) => asText(file_name) ?? [],
  );
  return [...new Set(names)];
}

/** The export contains only the extracted text of an upload. */
function readUpload({ file_name, file_type, file_size, extracted_content }: ExportedObject): object {
  return {
    name: asText(file_name) ?? "pasted text",
    mime_type: asText(file_type),
    size_bytes: asInteger(file_size),
    text: asText(extracted_content),
  };
}
