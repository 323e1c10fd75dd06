import { posix } from "node:path";
import { declareChats, otherTime } from "../chat/chat-streams.ts";
import { declare, shapes } from "../declare.ts";
import { type FileKind, findKindExports, type KindFile, readKinds } from "../export/file-kinds.ts";
import type { FileEntry } from "../files/files.ts";
import { listEntries } from "../files/probe.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { readLines } from "../json/read-lines.ts";
import { asId, asObject, asText, type ExportedObject } from "../json/values.ts";
import type { Directory, Recipient, SignalContext } from "./context.ts";
import { plaintextFrames } from "./plaintext.ts";
import { sigexportChats } from "./sigexport.ts";

/** Chats of Signal. */
const signalManifest = declare({
  connector: "signal",
  name: "Signal",
  version: "1",
  streams: declareChats({
    chats: { phone: shapes.text },
    messages: { quote: { type: "string", description: "The text that it answers." }, received_at: otherTime },
  }),
});

const LABEL = "Signal export";
const kinds: readonly FileKind<SignalContext>[] = [plaintextFrames, sigexportChats];

/** Reads Signal's own readable export and the folders of signal-export. */
export const signal: Importer = {
  id: "signal",
  label: LABEL,
  get manifest() {
    return signalManifest();
  },
  recognition: {
    kind: "export",
    find: (files) => findKindExports(files, { label: LABEL, kinds }, { findRoot, createCompanionTest }),
  },
  read: (source) => readKinds(source, { label: LABEL, kinds, prepare }),
};

/** The folder of the frames; that of the chats, each of which has a folder. */
function findRoot(path: string): string {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const isChat = posix.basename(path) === "data.json" && folder !== "";
  return isChat ? folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1) : folder;
}

/** Media, and the same chats as Markdown and HTML. */
function createCompanionTest(
  root: string,
  own: readonly KindFile<SignalContext>[],
): (path: string) => boolean {
  const chats = new Set(
    own.flatMap(({ file, kind }) => (kind === sigexportChats ? [posix.dirname(file.path)] : [])),
  );
  const hasFrames = own.some(({ kind }) => kind === plaintextFrames);
  return (path) => {
    const folder = posix.dirname(path);
    if (chats.has(folder)) return /^(?:chat\.md|index\.html)$/.test(posix.basename(path));
    if (chats.has(posix.dirname(folder)) && posix.basename(folder) === "media") return true;
    const inside = path.slice(root.length);
    return hasFrames && (/^files\//.test(inside) || inside === "metadata.json");
  };
}

async function prepare(
  source: ImportSource,
  found: readonly KindFile<SignalContext>[],
): Promise<SignalContext> {
  const directories = new Map<string, Directory>();
  const media = new Map<string, string>();
  for (const { file, kind } of found) {
    if (kind === plaintextFrames) directories.set(file.path, await readDirectory(file));
  }
  for (const { path } of directories.size > 0 ? await listEntries(source.files) : []) {
    const [, root = "", stem] = /^(.*\/)?files\/(?:[^/]+\/)*([0-9a-f]{64})[^/]*$/.exec(path) ?? [];
    if (stem !== undefined) media.set(`${root}${stem}`, path);
  }
  if (found.some(({ kind }) => kind === sigexportChats) && source.time_zone === undefined) {
    source.note(
      "signal-export writes times without a zone; they were read as UTC. --timezone names another zone.",
    );
  }
  return { source, directories, media, reported: new Set() };
}

/** Reads the people, groups and chats of a plaintext export, which its messages refer to by number. */
async function readDirectory(file: FileEntry): Promise<Directory> {
  const directory: Directory = { recipients: new Map(), chats: new Map() };
  for await (const element of readLines(file, "frame")) {
    if (element.kind === "rejected") continue;
    const frame = asObject(element.value);
    const recipient = asObject(frame.recipient);
    const chat = asObject(frame.chat);
    const [recipientId, chatId] = [asId(recipient.id), asId(chat.id)];
    if (recipientId !== undefined)
      directory.recipients.set(recipientId, describeRecipient(recipientId, recipient));
    if (chatId !== undefined) directory.chats.set(chatId, asId(chat.recipientId) ?? "");
  }
  return directory;
}

function describeRecipient(id: string, recipient: ExportedObject): Recipient {
  if (recipient.self) return { id, kind: "self", name: "Me" };
  if (recipient.group) {
    const title = asObject(asObject(asObject(recipient.group).snapshot).title);
    return { id, kind: "group", name: asText(title.title) ?? `Group ${id}` };
  }
  if (!recipient.contact)
    return { id, kind: "other", name: recipient.releaseNotes ? "Signal" : `Recipient ${id}` };
  const contact = asObject(recipient.contact);
  const phone = asId(contact.e164)?.replace(/^(?=\d)/, "+");
  const nickname = asObject(contact.nickname);
  const name =
    joinNames(nickname.given, nickname.family) ??
    joinNames(contact.systemGivenName, contact.systemFamilyName) ??
    joinNames(contact.profileGivenName, contact.profileFamilyName) ??
    asText(contact.username) ??
    phone ??
    `Contact ${id}`;
  return { id, kind: "contact", name, phone };
}

function joinNames(...names: readonly unknown[]): string | undefined {
  return asText(names.flatMap((name) => asText(name) ?? []).join(" "));
}
