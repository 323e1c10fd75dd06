/** Operations of a connector's runtime besides ingest: state, files and declarations. */
import {
  ApiError,
  convertConnectorManifest,
  isConnectorManifest,
  plainMessages,
  putStateBody,
  requireConnectorManifest,
  requireManifest,
} from "@rungs/contract";
import type { Authority } from "../access/authority.ts";
import { COLLECTION_STATE, formatStateId } from "../ingest/collection-state.ts";
import { guardBody, readJsonBody, requireSmall } from "../ingest/guard-body.ts";
import { requireWritable } from "../ingest/writable.ts";
import { putConnection } from "../owner/connections.ts";
import type { Handler } from "./handler.ts";

const STATE_BYTES = 1024 * 1024;
const MANIFEST_BYTES = 1024 * 1024;
const ID_CHARS = 64;

interface KeptState {
  readonly state: Record<string, unknown>;
  readonly updated_at: string;
}

/** `get_state`: what a connector stored, for its next run. */
export const handleGetState: Handler<"get_state"> = async ({ settings, authority, input }) => {
  const { connection_id, connector_key } = requireWritable(authority, input);
  const id = formatStateId(connection_id, input.grant_id);
  const kept = await settings.store.getState(authority.owner_id, COLLECTION_STATE, id);
  const { state, updated_at } = (kept?.value ?? { state: {}, updated_at: null }) as KeptState;
  return {
    kind: "json",
    body: { object: "stream_state", connector_id: connector_key, connection_id, state, updated_at },
    reads: [{ connection_id }],
  };
};

/** `put_state`: replaces it. */
export const handlePutState: Handler<"put_state"> = async ({
  settings,
  authority,
  input,
  request,
  now_ms,
}) => {
  const { connection_id, connector_key } = requireWritable(authority, input);
  const sent = await readJsonBody(request, settings.limits, STATE_BYTES);
  const parsed = putStateBody.safeParse(sent, plainMessages);
  if (!parsed.success) {
    const message = 'The body must be an object {"state": {…}}, with a member for each stream.';
    throw new ApiError("invalid_request", { param: "state", message });
  }
  const { state } = parsed.data;
  const value: KeptState = { state, updated_at: new Date(now_ms).toISOString() };
  const id = formatStateId(connection_id, input.grant_id);
  await settings.store.putState(authority.owner_id, { kind: COLLECTION_STATE, id, value });
  return {
    kind: "json",
    body: { object: "stream_state", connector_id: connector_key, connection_id, ...value },
    reads: [{ connection_id }],
  };
};

/** `put_blob`: stores the bytes of a file. */
export const handlePutBlob: Handler<"put_blob"> = async ({ settings, authority, input, request }) => {
  const { connection_id } = requireWritable(authority, input);
  const { store, limits } = settings;
  requireSmall(request, limits.body_bytes);
  const mime_type = request.headers.get("Content-Type")?.split(";")[0]?.trim() || "application/octet-stream";
  const blob = await store.putBlob(
    authority.owner_id,
    connection_id,
    guardBody(request.body, limits),
    mime_type,
  );
  const { blob_id, sha256, size_bytes } = blob;
  return {
    kind: "json",
    body: { object: "blob", blob_id, sha256, size_bytes, mime_type: blob.mime_type },
    reads: [{ connection_id, bytes: size_bytes }],
  };
};

/** `put_connector`: declares a source, and creates a connection of it. */
export const handlePutConnector: Handler<"put_connector"> = async ({
  settings,
  authority,
  input,
  request,
}) => {
  const sent = await readJsonBody(request, settings.limits, MANIFEST_BYTES);
  const manifest = isConnectorManifest(sent)
    ? convertConnectorManifest(requireConnectorManifest(sent))
    : requireManifest(sent);
  const { source, declaration_version, streams } = manifest;
  const connection_id = input.connection_id ?? chooseConnection(authority, source.id);
  const { owner_id } = authority;
  const owner = { store: settings.store, owner_id, now: settings.now };
  await putConnection(owner, connection_id, manifest, input.display_name);
  return {
    kind: "json",
    body: {
      object: "connector",
      connector_id: source.id,
      connection_id,
      declaration_version,
      stream_count: streams.length,
    },
    reads: [{ connection_id }],
  };
};

/** The source's existing connection, or an id made from the last part of the source's id. */
function chooseConnection({ sources }: Authority, source_id: string): string {
  const known = [...sources.values()].find(({ connector_key }) => connector_key === source_id);
  if (known) return known.connection_id;
  const words = source_id.split(/[^A-Za-z0-9._~-]+/).filter((word) => word !== "");
  return (words.at(-1) ?? "connection").slice(0, ID_CHARS);
}
