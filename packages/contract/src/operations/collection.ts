/** What a connector's runtime calls: records, state and files of one connection, and declarations of sources. */
import { connectionIdSchema, streamNameSchema } from "@rungs/evidence";
import { z } from "zod";
import { REJECTIONS_MAX } from "../pagination/pagination.ts";
import { collectedRecordSchema } from "../record/record.ts";
import { ownerErrors } from "./error-sets.ts";
import { ingestCounts, rejectionSchema } from "./ingest.ts";
import { defineOperation } from "./operation.ts";

const connectorId = z
  .string()
  .min(1)
  .max(2048)
  .describe(
    "The id of a source, or of a connection; of a source with several connections, name the connection.",
  );
const connectionId = connectionIdSchema
  .describe("The connection. A write-only token needs none: it has one.")
  .optional();
const aliases = { connector_instance_id: "connection_id" };
const errors = [...ownerErrors, "connection_not_found", "ambiguous_connection", "request_too_large"] as const;

/** `ingest_stream`: adds records to one stream; idempotent. */
export const ingestStreamOperation = defineOperation({
  name: "ingest_stream",
  summary: "Ingests records of one stream, one per line; a refused line does not stop the others.",
  method: "POST",
  path: "/v1/ingest/{stream}",
  kind: "writer",
  input: z.object({
    stream: streamNameSchema,
    connector_id: connectorId.optional(),
    connection_id: connectionId,
    run_id: z.string().max(256).describe("Accepted but not kept.").optional(),
  }),
  aliases,
  body_line: collectedRecordSchema,
  answer: "json",
  output: z.looseObject({
    object: z.literal("ingest_result"),
    stream: z.string(),
    connection_id: z.string(),
    records_accepted: z.int().min(0),
    records_rejected: z.int().min(0),
    ...ingestCounts,
    rejections: z.array(rejectionSchema).describe(`The first ${REJECTIONS_MAX} lines that were refused.`),
  }),
  errors: [...errors, "unsupported_media_type", "grant_stream_not_allowed"],
});

const stateInput = z.object({
  connector_id: connectorId,
  connection_id: connectionId,
  grant_id: z.string().min(1).max(256).describe("The state of a run for this grant only.").optional(),
});
const stateSchema = z.record(z.string(), z.unknown()).describe("The connector's state for each stream.");
const stateOutput = z.looseObject({
  object: z.literal("stream_state"),
  connector_id: z.string(),
  connection_id: z.string(),
  state: stateSchema,
  updated_at: z.string().nullable(),
});

/** `get_state`: how far a connector has read its source. */
export const getStateOperation = defineOperation({
  name: "get_state",
  summary: "Returns the progress that the connector last stored.",
  method: "GET",
  path: "/v1/state/{connector_id}",
  kind: "writer",
  input: stateInput,
  aliases,
  answer: "json",
  output: stateOutput,
  errors,
});

/** The body of `put_state`. */
export const putStateBody = z.strictObject({ state: stateSchema });

/** `put_state`: replaces the state in which a connector keeps its progress. */
export const putStateOperation = defineOperation({
  name: "put_state",
  summary: "Replaces the connector's stored progress.",
  method: "PUT",
  path: "/v1/state/{connector_id}",
  kind: "writer",
  input: stateInput,
  aliases,
  body: putStateBody,
  answer: "json",
  output: stateOutput,
  errors: [...errors, "unsupported_media_type"],
});

/** `put_blob`: stores the bytes of a file, which a record can then refer to. */
export const putBlobOperation = defineOperation({
  name: "put_blob",
  summary: "Stores the bytes of a file; records of the connection can refer to it by its blob_id.",
  method: "POST",
  path: "/v1/blobs",
  kind: "writer",
  input: z.object({
    connector_id: connectorId.optional(),
    connection_id: connectionId,
    stream: streamNameSchema.describe("Accepted but not kept: the record's reference counts.").optional(),
    record_key: z.string().max(4096).describe("Likewise.").optional(),
  }),
  aliases,
  body: "bytes",
  answer: "json",
  output: z.looseObject({
    object: z.literal("blob"),
    blob_id: z.string(),
    sha256: z.string(),
    size_bytes: z.int().min(0),
    mime_type: z.string(),
  }),
  errors,
});

/** `put_connector`: declares a source and creates a connection of it. */
export const putConnectorOperation = defineOperation({
  name: "put_connector",
  summary: "Declares a source, or a new version of its declaration, and creates a connection of it.",
  method: "POST",
  path: "/connectors",
  kind: "owner",
  input: z.object({
    connection_id: connectionIdSchema
      .describe(
        "The connection to create or to move to this declaration; by default made from the source's id.",
      )
      .optional(),
    display_name: z.string().min(1).max(200).describe("What the owner calls the connection.").optional(),
  }),
  body: z.record(z.string(), z.unknown()).describe("A source declaration, or the manifest of a connector."),
  answer: "json",
  output: z.looseObject({
    object: z.literal("connector"),
    connector_id: z.string(),
    connection_id: z.string(),
    declaration_version: z.string(),
    stream_count: z.int().min(0),
  }),
  errors: [...ownerErrors, "invalid_manifest", "unsupported_media_type", "request_too_large"],
});
