import {
  DATA_ACCESS_TYPE,
  type Grant,
  type GrantBudget,
  type GrantStream,
  type ReadScope,
} from "@rungs/contract";
import { createManifest } from "../../testing/store/manifests.ts";
import type { Oracle } from "../../testing/store/oracle.ts";

const manifest = createManifest();

/** The grant that allows exactly what a scope covers. */
export function toGrant(
  grant_id: string,
  issued_at: string,
  { owner_id, streams }: ReadScope,
  oracle: Oracle,
  budget?: GrantBudget,
): Grant {
  return {
    version: "0.1.0",
    grant_id,
    issued_at,
    subject: { id: owner_id },
    client: { client_id: "agent" },
    access_mode: "continuous",
    purpose_code: "https://pdpp.dev/purpose/assistance",
    ...(budget ? { budget } : {}),
    authorization_details: [
      {
        type: DATA_ACCESS_TYPE,
        source: manifest.source,
        source_declaration: { version: manifest.declaration_version },
        streams: streams.map((limits) => toGrantStream(limits, oracle)),
      },
    ],
  };
}

function toGrantStream(
  { connection_id, stream, fields, time, record_ids, where, masks }: ReadScope["streams"][number],
  oracle: Oracle,
): GrantStream {
  const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
  const since = iso(time?.since_ms);
  const until = iso(time?.until_ms);
  const field = oracle.shapeOf(stream).consent_time_field;
  const limited = field !== undefined && (since !== undefined || until !== undefined);
  return {
    name: stream,
    instance_ids: [connection_id],
    fields: [...fields],
    ...(limited
      ? { time_constraint: { field, ...(since ? { since } : {}), ...(until ? { until } : {}) } }
      : {}),
    ...(record_ids ? { resources: [...record_ids] } : {}),
    ...(where ? { where: [...where] } : {}),
    ...(masks ? { masks } : {}),
  } as GrantStream;
}
