/** A connection with a stream of many fields, and a grant over it, in a test world. */
import { type Manifest, requireManifest } from "@rungs/contract";
import { putConnection } from "@rungs/server";
import type { World } from "./world.ts";

/** What `addWideStream` adds: records by key, and the declaration of their fields. */
export interface WideStream {
  readonly connection_id: string;
  readonly stream: string;
  readonly properties: Readonly<Record<string, object>>;
  readonly records: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The searchable and comparable fields. */
  readonly query?: Manifest["streams"][number]["query"];
}

/** The names `prefix_000`, `prefix_001` and so on. */
export function listNames(count: number, prefix = "field"): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}_${String(at).padStart(3, "0")}`);
}

/** Adds the stream with its records, and returns the token of a grant over all of it. */
export async function addWideStream(world: World, wide: WideStream): Promise<string> {
  const { connection_id, stream, properties, records, query } = wide;
  const manifest: Manifest = requireManifest({
    protocol_version: "0.1.0",
    source: { kind: "connector", id: `https://rungs.example/connectors/${connection_id}` },
    declaration_version: "1",
    display: { name: connection_id },
    streams: [
      {
        name: stream,
        semantics: "mutable_state",
        primary_key: ["id"],
        ...(query && { query }),
        schema: {
          type: "object",
          required: ["id"],
          properties: { id: { type: "string" }, ...properties },
        },
      },
    ],
  });
  const { store, owner_id, clock } = world;
  await putConnection({ store, owner_id, now: () => clock.now }, connection_id, manifest, connection_id);
  const emitted_at = "2026-05-01T00:00:00Z";
  await store.ingest(
    owner_id,
    connection_id,
    Object.entries(records).map(([key, data]) => ({ stream, key, emitted_at, data: { id: key, ...data } })),
  );
  const fields = ["id", ...Object.keys(properties)];
  const { token } = await world.allow([{ name: stream, instance_ids: [connection_id], fields }], {
    source: manifest.source,
  });
  return token;
}
