/** The manifests of the sample connections. */
import { declare, shapes } from "@rungs/importers";

const { text, title, body, actor, thread, time, blob } = shapes;
const recipient = { ...text, x_pdpp_role: "recipient" } as const;

/** Mail: both sample accounts share this manifest. */
export const demoMailManifest = declare({
  connector: "demo-mail",
  name: "Mail",
  version: "3",
  streams: [
    {
      name: "messages",
      label: "Messages",
      time_field: "sent_at",
      searched: ["subject", "body", "from"],
      properties: {
        id: text,
        thread_id: thread,
        subject: title,
        from: actor,
        to: recipient,
        sent_at: time,
        body,
      },
    },
  ],
});

/** Chat: messages in rooms. */
export const chatManifest = declare({
  connector: "demo-chat",
  name: "Chat",
  version: "2",
  streams: [
    {
      name: "messages",
      label: "Chat messages",
      time_field: "sent_at",
      searched: ["text"],
      properties: {
        id: text,
        room_id: thread,
        room: title,
        author: actor,
        sent_at: time,
        text: body,
        reply_to: text,
      },
    },
  ],
});

/** Conversations with an assistant: each message names its parent, so the messages form a tree. */
export const assistantManifest = declare({
  connector: "demo-assistant",
  name: "Assistant",
  version: "3",
  streams: [
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
        conversation_id: thread,
        parent_id: { type: ["string", "null"], x_pdpp_role: "parent" },
        role: { ...actor, enum: ["user", "assistant"] },
        written_at: time,
        text: body,
      },
    },
  ],
});

/** Documents, one with its source file. */
export const demoDocumentsManifest = declare({
  connector: "demo-documents",
  name: "Documents",
  version: "3",
  streams: [
    {
      name: "documents",
      label: "Documents",
      time_field: "changed_at",
      searched: ["title", "text"],
      properties: {
        id: text,
        title,
        changed_at: time,
        language: text,
        text: body,
        file: blob,
        private_note: { ...text, x_pdpp_private: true },
      },
    },
  ],
});
