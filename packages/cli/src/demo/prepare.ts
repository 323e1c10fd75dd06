import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest, RecordEnvelope } from "@rungs/contract";
import { createGrant, digestToken, ensureOwner, type OwnerContext, putConnection } from "@rungs/server";
import type { Store } from "@rungs/store";
import { UsageError } from "../command/exit.ts";
import { requireAllowedScope } from "../grants/allowed-scope.ts";
import { listAssistant } from "./assistant.ts";
import { listChat } from "./chat.ts";
import { listDocuments, writeAccounts } from "./documents.ts";
import { listHomeMail, listWorkMail } from "./mail.ts";
import { assistantManifest, chatManifest, demoDocumentsManifest, demoMailManifest } from "./manifests.ts";

/** The scope of the demo's grant: everything except the private notes of documents. */
const DEMO_ALLOWED = [
  "mail-home/*",
  "mail-work/*",
  "chat/*",
  "assistant/*",
  "documents/documents:title,changed_at,language,text,file",
] as const;

/** The token that reads the sample data. */
export interface Prepared {
  readonly token: string;
  readonly token_file: string;
  /** Whether this call created the data. */
  readonly is_new: boolean;
}

/** Creates the sample data and its grant, or reuses those of an earlier run. The token file is written last, so it marks a finished set-up. */
export async function prepareDemo(store: Store, home: string): Promise<Prepared> {
  const token_file = join(home, "demo-token");
  const owner = { store, owner_id: await ensureOwner(store), now: Date.now };
  const known = existsSync(token_file) ? readFileSync(token_file, "utf8").trim() : undefined;
  if (known !== undefined && (await store.findToken(digestToken(known)))) {
    return { token: known, token_file, is_new: false };
  }
  const ours = new Set(DEMO_ALLOWED.map((allowed) => allowed.split("/")[0]));
  const connections = await store.listConnections(owner.owner_id);
  if (connections.some(({ connection_id }) => !ours.has(connection_id))) {
    throw new UsageError(`${home} holds other data: choose an empty folder with --home.`);
  }
  await fillStore(owner);
  const limits = { since: undefined, until: undefined, records: [], single_use: false, purpose: undefined };
  const details = requireAllowedScope(
    { allow: DEMO_ALLOWED, ...limits },
    await store.listConnections(owner.owner_id),
  );
  const { token } = await createGrant(owner, { client: { client_id: "demo agent" }, details });
  writeFileSync(token_file, `${token}\n`, { mode: 0o600 });
  return { token, token_file, is_new: true };
}

/** Stores the sample data; idempotent. */
async function fillStore(owner: OwnerContext): Promise<void> {
  const { store, owner_id } = owner;
  const add = async (id: string, label: string, manifest: Manifest, records: readonly RecordEnvelope[]) => {
    await putConnection(owner, id, manifest, label);
    const outcomes = await store.ingest(owner_id, id, records);
    const refused = outcomes.find((outcome) => outcome.status === "rejected");
    if (refused) throw new Error(`A sample record was rejected: ${refused.message}`);
  };
  const accounts = await store.putBlob(owner_id, "documents", encode(writeAccounts()), "text/csv");
  await add("mail-home", "Mail at home", demoMailManifest(), listHomeMail());
  await add("mail-work", "Mail at work", demoMailManifest(), listWorkMail());
  await add("chat", "Chat", chatManifest(), listChat());
  await add("assistant", "Assistant", assistantManifest(), listAssistant());
  await add("documents", "Documents", demoDocumentsManifest(), listDocuments(accounts));
  await store.tidy(owner_id);
}

async function* encode(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
