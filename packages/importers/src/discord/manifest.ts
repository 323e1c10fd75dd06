import { declareChats } from "../chat/chat-streams.ts";
import { declare, shapes } from "../declare.ts";

/** Channels and messages of a data package or of DiscordChatExporter. */
export const discordManifest = declare({
  connector: "discord",
  name: "Discord",
  version: "1",
  streams: declareChats({
    chats: { server: shapes.text, topic: shapes.text },
    messages: { server: shapes.text, is_bot: shapes.flag, is_pinned: shapes.flag },
    attachments: { url: shapes.text },
  }),
});
