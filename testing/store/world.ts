/** The world of the tests: an owner with connections, their records, and scopes over them. */
import assert from "node:assert/strict";
import {
  DATA_ACCESS_TYPE,
  type Grant,
  type ManifestStream,
  type ReadScope,
  type RecordEnvelope,
  type StreamScope,
} from "@rungs/contract";
import type { IngestOutcome, Store, StoredRef } from "@rungs/store";
import { createManifest, SOURCE_ID } from "./manifests.ts";

export const OWNER = "me";
const CONNECTION = "mail";
export const EMITTED_AT = "2026-01-01T00:00:00.000Z";

/** Creates an owner with connections to the suite's source. */
export async function createOwner(
  store: Store,
  { owner_id = OWNER, connections = [CONNECTION] }: { owner_id?: string; connections?: string[] } = {},
): Promise<void> {
  await store.putOwner(owner_id);
  await store.putManifest(owner_id, createManifest());
  for (const connection_id of connections) await putConnection(store, { owner_id, connection_id });
}

/** Creates a connection to the suite's source, or moves it to another version of the declaration. */
export function putConnection(
  store: Store,
  { owner_id = OWNER, connection_id = CONNECTION, version = "1", display_name = "Mail" } = {},
): Promise<void> {
  const connection = { connection_id, source_id: SOURCE_ID, declaration_version: version, display_name };
  return store.putConnection(owner_id, connection);
}

/** Stores a token of the owner for a client without grants. */
export function putClientToken(store: Store, digest: string): Promise<void> {
  const client = { kind: "client", client_id: "agent", grant_ids: [] } as const;
  return store.putToken({ digest, owner_id: OWNER, created_at: EMITTED_AT, ...client });
}

/** An incoming mail message. */
export function message(
  id: string,
  data: Readonly<Record<string, unknown>> = {},
  emitted_at = EMITTED_AT,
): RecordEnvelope {
  return { stream: "messages", key: id, data: { id, ...data }, emitted_at };
}

/** The deletion of a record. */
export function removal(stream: string, key: RecordEnvelope["key"], emitted_at = EMITTED_AT): RecordEnvelope {
  return { stream, key, op: "delete", emitted_at };
}

/** Writes records and asserts that none of them was rejected. */
export async function ingest(
  store: Store,
  batch: readonly RecordEnvelope[],
  { owner_id = OWNER, connection_id = CONNECTION } = {},
): Promise<IngestOutcome[]> {
  const outcomes = await store.ingest(owner_id, connection_id, batch);
  assert.deepEqual(
    outcomes.filter(({ status }) => status === "rejected"),
    [],
  );
  return outcomes;
}

const declaredStreams = createManifest().streams;

/** All fields that a stream of the suite's source declares. */
export function fieldsOf(stream: string): string[] {
  const declared = declaredStreams.find(({ name }) => name === stream) as ManifestStream;
  return Object.keys((declared.schema as { properties: object }).properties);
}

/** A scope over one stream, whole unless limited. */
export function scopeOver(
  stream = "messages",
  limits: Partial<StreamScope> = {},
  owner_id = OWNER,
): ReadScope {
  return { owner_id, streams: [{ connection_id: CONNECTION, stream, fields: fieldsOf(stream), ...limits }] };
}

/** The reference of a message. */
export function refOf(record_id: string, stream = "messages", connection_id = CONNECTION): StoredRef {
  return { connection_id, stream, record_id };
}

/** A grant for two fields of one stream and one of its records. */
export function createTestGrant(grant_id: string, more: Partial<Grant> = {}): Grant {
  return {
    version: "0.1.0",
    grant_id,
    issued_at: EMITTED_AT,
    subject: { id: OWNER },
    client: { client_id: "agent", name: "Ägent 🤖" },
    access_mode: "continuous",
    purpose_code: "https://pdpp.dev/purpose/assistance",
    authorization_details: [
      {
        type: DATA_ACCESS_TYPE,
        source: { kind: "connector", id: SOURCE_ID },
        source_declaration: { version: "1" },
        streams: [
          { name: "messages", instance_ids: ["mail"], fields: ["id", "subject"], resources: ['["a","b"]'] },
        ],
      },
    ],
    ...more,
  };
}
