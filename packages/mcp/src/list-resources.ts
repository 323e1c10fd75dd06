/** What hosts list for a person to attach: the granted streams and their newest records, page by page. */
import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Client } from "@rungs/client";
import { type Operations, type OutputOf, presentRecord, renderLabel } from "@rungs/contract";
import { formatRecordUri } from "@rungs/evidence";
import { VIEW } from "./apps/view.ts";
import { type Backend, untilCancelled } from "./backend.ts";
import { DOCUMENT_TYPE } from "./resource.ts";

/** What the URIs of streams begin with. */
const STREAM_URI = "pdpp://stream/";
/** The stream that a URI names; undefined for any other URI. */
export function parseStreamUri(uri: string): { connection_id: string; stream: string } | undefined {
  const [, connection_id, stream] = /^pdpp:\/\/stream\/([^/]+)\/([^/]+)$/.exec(uri) ?? [];
  if (connection_id === undefined || stream === undefined) return undefined;
  try {
    return { connection_id: decodeURIComponent(connection_id), stream: decodeURIComponent(stream) };
  } catch {
    return undefined;
  }
}

/** How many of a stream's newest records to list. */
export const RECENT_RECORDS = 5;

/** A page lists some streams, and the newest records of fewer, so that hosts that read only one page see both. */
const PAGE = { streams: 50, recent: 5 };
const NAME_CHARS = 80;
const CURSOR = /^page-([1-9]\d{0,5})$/;

/** Lists resources in pages; a cursor is a plain page number, since the grant alone decides what is on a page. */
export function registerList(server: McpServer, backend: Backend): void {
  server.server.setRequestHandler("resources/list", async ({ params }, { mcpReq: { signal } }) => {
    const page = requirePage(params?.cursor);
    const { client } = untilCancelled(backend, signal);
    const { streams } = await client.call("schema", {});
    const filled = streams.filter(({ record_count }) => record_count > 0);
    const listed = takePage(streams, page, PAGE.streams).map(describeStream);
    const recent = await Promise.all(
      takePage(filled, page, PAGE.recent).map((stream) => listRecent(client, stream)),
    );
    const next = page + 1;
    const isMore = next * PAGE.streams < streams.length || next * PAGE.recent < filled.length;
    return {
      resources: [
        ...(page === 0 ? [VIEW] : []),
        ...[...recent.flat(), ...listed].map((each) => ({ ...each, mimeType: DOCUMENT_TYPE })),
      ],
      ...(isMore && { nextCursor: `page-${next}` }),
    };
  });
}

function requirePage(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const page = CURSOR.exec(cursor)?.[1];
  if (page !== undefined) return Number(page);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "The cursor is not one of this list. List again without a cursor.",
  );
}

function takePage<Item>(items: readonly Item[], page: number, size: number): readonly Item[] {
  return items.slice(page * size, (page + 1) * size);
}

type ListedStream = OutputOf<Operations["schema"]>["streams"][number];

function describeStream({ connection_id, stream, label, record_count }: ListedStream) {
  return {
    uri: `${STREAM_URI}${encodeURIComponent(connection_id)}/${encodeURIComponent(stream)}`,
    name: renderLabel(`${label ?? stream} (${connection_id})`, NAME_CHARS),
    description: `${record_count} records`,
  };
}

async function listRecent(client: Client, { connection_id, stream }: ListedStream) {
  const { data } = await client.call("query_records", {
    connection_id,
    stream,
    view: "preview",
    limit: RECENT_RECORDS,
  });
  return data.map((record) => {
    const { view, card } = presentRecord(record, 0);
    return {
      uri: formatRecordUri(view.record),
      name: renderLabel(card.title ?? view.record.id, NAME_CHARS),
    };
  });
}
