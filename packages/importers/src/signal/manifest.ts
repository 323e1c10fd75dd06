import { declareChats, otherTime } from "../chat/chat-streams.ts";
import { declare, shapes } from "../declare.ts";

/** Chats of Signal. */
export const signalManifest = declare({
  connector: "signal",
  name: "Signal",
  version: "1",
  streams: declareChats({
    chats: { phone: shapes.text },
    messages: { quote: { type: "string", description: "The text that it answers." }, received_at: otherTime },
  }),
});
