/** The declarations of the sample sources. */
import { type Manifest, requireManifest } from "@rungs/contract";

const text = { type: "string" } as const;
const title = { type: "string", x_pdpp_role: "primary-title" } as const;
const body = { type: "string", contentMediaType: "text/plain", x_pdpp_role: "body" } as const;
const actor = { type: "string", x_pdpp_role: "actor" } as const;
const time = { type: "string", format: "date-time", x_pdpp_role: "event-time" } as const;
const file = {
  type: "object",
  required: ["blob_id"],
  properties: { blob_id: text, mime_type: text, size_bytes: { type: "integer" }, sha256: text },
} as const;

interface StreamOutline {
  readonly name: string;
  readonly label: string;
  readonly time_field: string;
  readonly searched: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
}

/** Mail: two accounts of the demonstration share this declaration. */
export const demoMailManifest = declare("mail", "Mail", [
  {
    name: "messages",
    label: "Messages",
    time_field: "sent_at",
    searched: ["subject", "body", "from"],
    properties: { id: text, thread_id: text, subject: title, from: actor, to: text, sent_at: time, body },
  },
]);

/** Chat: messages in rooms. */
export const chatManifest = declare("chat", "Chat", [
  {
    name: "messages",
    label: "Chat messages",
    time_field: "sent_at",
    searched: ["text"],
    properties: { id: text, room: title, author: actor, sent_at: time, text: body, reply_to: text },
  },
]);

/** Conversations with an assistant: each message names the one it answers, so that they form a tree. */
export const assistantManifest = declare("assistant", "Assistant", [
  {
    name: "conversations",
    label: "Conversations",
    time_field: "started_at",
    searched: ["title"],
    properties: { id: text, title, started_at: time, current_message_id: text },
  },
  {
    name: "messages",
    label: "Messages of conversations",
    time_field: "written_at",
    searched: ["text"],
    properties: {
      id: text,
      conversation_id: text,
      parent_id: { type: ["string", "null"] },
      role: { ...actor, enum: ["user", "assistant"] },
      written_at: time,
      text: body,
    },
  },
]);

/** Documents, some with the file that they were made from. */
export const demoDocumentsManifest = declare("documents", "Documents", [
  {
    name: "documents",
    label: "Documents",
    time_field: "changed_at",
    searched: ["title", "text"],
    properties: { id: text, title, changed_at: time, language: text, text: body, file, private_note: text },
  },
]);

function declare(kind: string, name: string, streams: readonly StreamOutline[]): Manifest {
  return requireManifest({
    protocol_version: "0.1.0",
    source: { kind: "connector", id: `https://rungs.example/connectors/${kind}` },
    declaration_version: "1",
    display: { name },
    streams: streams.map(({ name, label, time_field, searched, properties }) => ({
      name,
      display: { label },
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: time_field,
      consent_time_field: time_field,
      query: { search: { lexical_fields: searched } },
      schema: { type: "object", required: ["id"], properties },
    })),
  });
}
