import { declareChats } from "../chat/chat-streams.ts";
import { declare } from "../declare.ts";

/** Chats of Apple's Messages. */
export const imessageManifest = declare({
  connector: "imessage",
  name: "Messages (Apple)",
  version: "1",
  streams: declareChats({ messages: { service: { type: "string", description: "iMessage, SMS or RCS." } } }),
});
