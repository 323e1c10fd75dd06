import { declareChats } from "../chat/chat-streams.ts";
import { declare, shapes } from "../declare.ts";
import { type FileKind, findKindExports, readKinds } from "../export/file-kinds.ts";
import type { Importer } from "../importer.ts";
import { exportedChannel } from "./chat-exporter.ts";
import { type DiscordContext, prepareDiscord } from "./context.ts";
import { packageKinds } from "./package.ts";

/** Channels and messages of a data package or of DiscordChatExporter. */
const discordManifest = declare({
  connector: "discord",
  name: "Discord",
  version: "1",
  streams: declareChats({
    chats: { server: shapes.text, topic: shapes.text },
    messages: { server: shapes.text, is_bot: shapes.flag, is_pinned: shapes.flag },
    attachments: { url: shapes.text },
  }),
});

const LABEL = "Discord data package or DiscordChatExporter file";
const kinds: readonly FileKind<DiscordContext>[] = [exportedChannel, ...packageKinds];

/** Reads Discord's data package, which has the owner's messages, and the JSON files of DiscordChatExporter. */
export const discord: Importer = {
  id: "discord",
  label: LABEL,
  get manifest() {
    return discordManifest();
  },
  recognition: {
    kind: "export",
    find: (files) => findKindExports(files, { label: LABEL, kinds }, { findRoot, createCompanionTest }),
  },
  read: (source) => readKinds(source, { label: LABEL, kinds, prepare: prepareDiscord }),
};

/** The folders of a data package. */
const PACKAGE =
  /(?:^|\/)(?:messages|servers)\/(?:index\.json|c?\d{15,}\/[^/]+)$|(?:^|\/)account\/user\.json$/i;

function findRoot(path: string): string {
  const at = PACKAGE.exec(path);
  if (!at) return path.slice(0, path.lastIndexOf("/") + 1);
  return path.slice(0, at.index + (at[0].startsWith("/") ? 1 : 0));
}

/** The rest of a data package, and the files that DiscordChatExporter downloaded. */
function createCompanionTest(root: string): (path: string) => boolean {
  return (path) => {
    const inside = path.slice(root.length);
    return (
      /^(?:account|activity|activities|ads|messages|programs|servers|support_tickets)\//i.test(inside) ||
      /^[^/]+\.json_Files\//.test(inside)
    );
  };
}
