/** What the owner deletes: one record, records by condition, a stream or a connection (R73). */
import { ApiError, ownerScope, parseFilters, parseTimeMs, type ReadScope } from "@rungs/contract";
import { formatRecordId, parseRecordId } from "@rungs/evidence";
import type { ScalarFilter } from "@rungs/store";
import { readSources, type Source } from "../access/authority.ts";
import { formatWriter } from "../access/writer.ts";
import { COLLECTION_STATE, formatStateId } from "../ingest/collection-state.ts";
import { recordEvent } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";

/** Which records to delete: all of a connection by default. */
export interface DeletionRequest {
  readonly connection_id: string;
  readonly stream?: string | undefined;
  readonly record_id?: string | undefined;
  /** Conditions as `query_records` takes them; they need a stream. */
  readonly filter?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** What a deletion would delete. */
export interface DeletionPreview {
  readonly record_count: number;
  readonly streams: readonly { readonly stream: string; readonly record_count: number }[];
  /** The ids of some of the records. */
  readonly samples: readonly string[];
  /** Whether the connection itself goes. */
  readonly whole_connection: boolean;
}

/** What was deleted. */
export interface Deletion {
  readonly record_count: number;
  /** Violations that the check after the deletion found; empty when nothing of the records is left. */
  readonly problems: readonly string[];
  /** False while another process keeps the database from releasing space; `purge` can be retried. */
  readonly is_space_freed: boolean;
}

/** Parses what to delete: a connection, `connection/stream`, or a record's id. */
export function parseDeletionTarget(what: string): DeletionRequest {
  if (!what.includes(":")) {
    const [connection_id = "", stream] = what.split("/");
    return { connection_id, stream };
  }
  const { connection_id, stream, record_id } = parseRecordId(what);
  if (connection_id !== undefined) return { connection_id, stream, record_id };
  const message = "The id names no connection: give it whole, as connection/stream:record.";
  throw new ApiError("invalid_record_id", { param: "id", message });
}

interface Selection {
  readonly scope: ReadScope;
  readonly filters: ReadonlyMap<string, readonly ScalarFilter[]>;
  readonly whole_connection: boolean;
}

const BATCH_RECORDS = 200;
const SAMPLES = 5;

/** Counts what a deletion would delete. */
export async function previewDeletion(
  owner: OwnerContext,
  request: DeletionRequest,
): Promise<DeletionPreview> {
  const { scope, filters, whole_connection } = await select(owner, request);
  const streams: { stream: string; record_count: number }[] = [];
  const samples: string[] = [];
  // Stored totals suffice where no condition narrows the records.
  const facts = (request.filter ?? []).length === 0 ? await owner.store.describeStreams(scope) : [];
  for (const { connection_id, stream } of scope.streams) {
    const where = { connection_id, stream, filters: filters.get(stream) };
    const known = facts.find((each) => each.stream === stream);
    const record_count = known?.record_count ?? (await countRecords(owner, scope, where));
    if (record_count === 0) continue;
    streams.push({ stream, record_count });
    const page = await owner.store.listRecords(scope, { ...where, order: "desc", limit: SAMPLES });
    samples.push(
      ...page.records.map(({ record_id }) => formatRecordId({ connection_id, stream, record_id })),
    );
  }
  const record_count = streams.reduce((sum, each) => sum + each.record_count, 0);
  return { record_count, streams, samples: samples.slice(0, SAMPLES), whole_connection };
}

async function countRecords(
  { store }: OwnerContext,
  scope: ReadScope,
  where: { connection_id: string; stream: string; filters?: readonly ScalarFilter[] | undefined },
): Promise<number> {
  const { groups } = await store.aggregate(scope, { ...where, metric: "count", limit: 1 });
  return Number(groups[0]?.value ?? 0);
}

/** Deletes records, purges their traces from index and files, and checks the store. */
export async function deleteData(
  owner: OwnerContext,
  request: DeletionRequest,
  watch: (deleted: number) => void = () => undefined,
): Promise<Deletion> {
  const { store, owner_id } = owner;
  const { connection_id } = request;
  const selection = await select(owner, request);
  const preview = await previewDeletion(owner, request);
  for (const { stream, record_count: records } of preview.streams)
    await recordEvent(owner, "records_deleted", { connection_id, stream, records });
  let { record_count } = preview;
  if (selection.whole_connection) {
    await endCollection(owner, connection_id);
    await store.deleteConnection(owner_id, connection_id);
    await recordEvent(owner, "connection_deleted", { connection_id });
  } else record_count = await deleteSelected(owner, selection, watch);
  const { is_space_freed } = await store.purge(owner_id);
  return { record_count, is_space_freed, problems: await store.check(owner_id) };
}

/** Deletes the selected records, a page at a time; returns how many there were. */
async function deleteSelected(
  { store, owner_id }: OwnerContext,
  { scope, filters }: Selection,
  watch: (deleted: number) => void,
): Promise<number> {
  let total = 0;
  for (const { connection_id, stream } of scope.streams) {
    for (let deleted = -1; deleted !== 0; watch(total)) {
      const where = { connection_id, stream, filters: filters.get(stream) };
      const page = await store.listRecords(scope, { ...where, order: "asc", limit: BATCH_RECORDS });
      const ids = page.records.map(({ record_id }) => record_id);
      deleted = await store.deleteRecords(owner_id, connection_id, stream, ids);
      total += deleted;
    }
  }
  return total;
}

async function select({ store, owner_id }: OwnerContext, request: DeletionRequest): Promise<Selection> {
  const { connection_id, stream, record_id } = request;
  const source = (await readSources(store, owner_id)).get(connection_id);
  if (!source) throw new ApiError("connection_not_found", { param: "connection_id" });
  if (stream !== undefined && !source.shapes.has(stream)) {
    const next = `Name one of these: ${[...source.shapes.keys()].join(", ")}.`;
    throw new ApiError("unknown_stream", { param: "stream", next });
  }
  const time = parseTimes(request);
  const isTimed = time.since_ms !== undefined || time.until_ms !== undefined;
  const all = ownerScope(owner_id, [source]);
  const streams = all.streams
    .filter((each) => stream === undefined || each.stream === stream)
    .filter((each) => !isTimed || requireTimeField(source, each.stream, stream))
    .map((each) => ({
      ...each,
      ...(isTimed ? { time } : {}),
      ...(record_id === undefined ? {} : { record_ids: [record_id] }),
    }));
  return {
    scope: { ...all, streams },
    filters: parseConditions(source, request),
    whole_connection: stream === undefined && !isTimed && (request.filter ?? []).length === 0,
  };
}

function parseConditions(source: Source, { stream, filter = [] }: DeletionRequest) {
  const shape = stream === undefined ? undefined : source.shapes.get(stream);
  if (filter.length > 0 && !shape) {
    const message = "A filter needs a stream: its fields are those of one stream.";
    throw new ApiError("invalid_request", { param: "filter", message });
  }
  return new Map(shape ? [[shape.name, parseFilters(filter, shape)]] : []);
}

function parseTimes({ since, until }: DeletionRequest) {
  return { since_ms: parseTimeMs(since), until_ms: parseTimeMs(until) };
}

/** Whether a stream has times; throws if a named stream has none. */
function requireTimeField({ shapes }: Source, name: string, named: string | undefined): boolean {
  const isTimed = shapes.get(name)?.consent_time_field !== undefined;
  if (isTimed || named === undefined) return isTimed;
  throw new ApiError("invalid_request", { param: "since", message: `The records of ${name} have no time.` });
}

/** Ends all writers of a connection before it is deleted: its write-only tokens and its connector's state. */
async function endCollection({ store, owner_id, now }: OwnerContext, connection_id: string): Promise<void> {
  const at = new Date(now()).toISOString();
  const client_id = formatWriter(connection_id);
  for (const token of await store.listTokens(owner_id))
    if (token.kind === "writer" && token.client_id === client_id)
      await store.revokeToken(owner_id, token.digest, at);
  const prefix = formatStateId(connection_id, undefined);
  for (const { id } of await store.listState(owner_id, COLLECTION_STATE))
    if (id.startsWith(prefix)) await store.deleteState(owner_id, COLLECTION_STATE, id);
}
