import type { FileEntry } from "../files/files.ts";
import { readLines } from "../json/read-lines.ts";
import { asId, asObject, asText, type ExportedObject } from "../json/values.ts";
import type { Directory, Recipient } from "./context.ts";

/** Reads the people, groups and chats of a plaintext export, which its messages refer to by number. */
export async function readDirectory(file: FileEntry): Promise<Directory> {
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
