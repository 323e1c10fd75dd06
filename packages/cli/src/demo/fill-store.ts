import type { Manifest, RecordEnvelope } from "@rungs/contract";
import { type OwnerParts, putConnection } from "@rungs/server";
import { listAssistant } from "./assistant.ts";
import { listChat } from "./chat.ts";
import { listDocuments, writeAccounts } from "./documents.ts";
import { listHomeMail, listWorkMail } from "./mail.ts";
import { assistantManifest, chatManifest, demoDocumentsManifest, demoMailManifest } from "./manifests.ts";

/** What the demonstration's grant covers: everything but the private notes of documents. */
export const DEMO_ALLOWED = [
  "mail-home/*",
  "mail-work/*",
  "chat/*",
  "assistant/*",
  "documents/documents:title,changed_at,language,text,file",
] as const;

/** Brings the sample data in; doing it again changes nothing. */
export async function fillStore(parts: OwnerParts): Promise<void> {
  const { store, owner_id } = parts;
  const bring = async (id: string, label: string, manifest: Manifest, records: readonly RecordEnvelope[]) => {
    await putConnection(parts, id, manifest, label);
    const outcomes = await store.ingest(owner_id, id, records);
    const refused = outcomes.find((outcome) => outcome.status === "rejected");
    if (refused) throw new Error(`The sample data does not fit: ${refused.message}`);
  };
  const accounts = await store.putBlob(owner_id, bytesOf(writeAccounts()), "text/csv");
  await bring("mail-home", "Mail at home", demoMailManifest, listHomeMail());
  await bring("mail-work", "Mail at work", demoMailManifest, listWorkMail());
  await bring("chat", "Chat", chatManifest, listChat());
  await bring("assistant", "Assistant", assistantManifest, listAssistant());
  await bring("documents", "Documents", demoDocumentsManifest, listDocuments(accounts));
  await store.tidy(owner_id);
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
