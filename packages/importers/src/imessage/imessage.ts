import type { ImportedItem } from "@rungs/contract";
import { declareChats } from "../chat/chat-streams.ts";
import { declare } from "../declare.ts";
import type { Files } from "../files/files.ts";
import { listEntries, refuseFiles } from "../files/probe.ts";
import { parseResume } from "../files/resume.ts";
import { readSqlite } from "../files/sqlite-copy.ts";
import { findDatabases } from "../files/sqlite-find.ts";
import type { FoundExport, Importer, ImportSource } from "../importer.ts";
import { readAppleMessages } from "./read-messages.ts";
import { isMessages } from "./tables.ts";

/** Chats of Apple's Messages. */
const imessageManifest = declare({
  connector: "imessage",
  name: "Messages (Apple)",
  version: "1",
  streams: declareChats({ messages: { service: { type: "string", description: "iMessage, SMS or RCS." } } }),
});

/** Reads the database of Apple's Messages: `chat.db` of a Mac, `sms.db` of a phone's backup, with `Attachments/`. */
export const imessage: Importer = {
  id: "imessage",
  label: "Apple Messages (chat.db)",
  get manifest() {
    return imessageManifest();
  },
  recognition: { kind: "export", find },
  read,
};

/** The definitions of the tables are near the beginning; the name helps where they are not. */
const MARK = { name: /(?:^|\/)(?:chat|sms)\.db$/i, table: "chat_message_join" };

async function find(files: Files): Promise<FoundExport[]> {
  const entries = await listEntries(files);
  return (await findDatabases(files, MARK)).map(({ path }) => {
    const root = path.slice(0, path.lastIndexOf("/") + 1);
    const beside = entries.flatMap((each) => {
      const isBeside =
        each.path.startsWith(`${root}Attachments/`) || /^-(?:wal|shm)$/.test(each.path.slice(path.length));
      return isBeside && each.path.startsWith(root) ? [each.path] : [];
    });
    const reason = "it is a database with the tables of Messages";
    return { root, confidence: "signature", reason, paths: [path, ...beside] };
  });
}

async function* read(source: ImportSource): AsyncGenerator<ImportedItem> {
  const databases = await findDatabases(source.files, MARK);
  if (databases.length === 0) throw refuseFiles(source.files, imessage.label);
  const { path, counts = [] } = parseResume(source.resume) ?? {};
  const first = Math.max(
    0,
    databases.findIndex((file) => file.path === path),
  );
  for (const file of databases.slice(first)) {
    const after = file.path === path ? (counts[0] ?? 0) : 0;
    yield* readSqlite(source.files, file, (database) =>
      isMessages(database)
        ? readAppleMessages(database, { source, file, after })
        : [{ kind: "rejected", place: file.path, reason: "The database has no tables of Messages." }],
    );
  }
}
