import type { z } from "zod";
import { errorRegistry } from "../errors/errors.ts";
import { toJsonSchema } from "../json-schema/from-zod.ts";
import { operations } from "../operation-table.ts";
import type { Operation } from "../operations/operation.ts";
import { describeParameters, sharedParameters } from "./parameters.ts";
import { describeResponses, describeSharedResponses, sharedHeaders } from "./responses.ts";
import { describeSchemas, schemaRef } from "./schemas.ts";

/** The server that a document describes. */
export interface OpenApiOptions {
  readonly version: string;
  readonly server_url?: string | undefined;
}

/** Creates the OpenAPI 3.1 document of all operations, from the same table that the server routes by. */
export function createOpenApi({ version, server_url }: OpenApiOptions) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Rungs",
      version,
      description:
        "A personal data server on the Personal Data Portability Protocol, core 0.1.0. Lengths and offsets in _chars are Unicode code points.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    ...(server_url === undefined ? {} : { servers: [{ url: server_url }] }),
    paths: describePaths(),
    components: {
      schemas: describeSchemas(),
      responses: describeSharedResponses(),
      parameters: sharedParameters,
      headers: sharedHeaders,
      securitySchemes: {
        client: {
          type: "http",
          scheme: "bearer",
          description: "A client's grant-scoped token, or the owner's.",
        },
        writer: {
          type: "http",
          scheme: "bearer",
          description: "A token that may write to one connection and read no record, or the owner's.",
        },
        owner: { type: "http", scheme: "bearer", description: "The owner's token." },
      },
    },
    "x-error-codes": errorRegistry,
  };
}

function describePaths(): Record<string, object> {
  const byPath = Map.groupBy<string, Operation>(Object.values(operations), ({ path }) => path);
  return Object.fromEntries(
    [...byPath].map(([path, group]) => [path, Object.assign({}, ...group.map(describeMethods)) as object]),
  );
}

function describeMethods(operation: Operation): Record<string, object> {
  const described = describeOperation(operation);
  if (operation.answer !== "bytes") return { [operation.method.toLowerCase()]: described };
  const head = {
    ...described,
    operationId: `${operation.name}_head`,
    summary: "The same without the bytes: type and size.",
  };
  return { get: described, head };
}

function describeOperation(operation: Operation): object {
  return {
    operationId: operation.name,
    summary: operation.summary,
    security: operation.kind === "public" ? [] : [{ [operation.kind]: [] }],
    parameters: describeParameters(operation),
    ...describeBody(operation),
    responses: describeResponses(operation),
    ...describeTool(operation),
  };
}

function describeBody({ name, body_line, body }: Operation): object {
  if (body_line === undefined && body === undefined) return {};
  const [description, content] =
    body_line !== undefined
      ? ["One record on each line.", { "application/x-ndjson": { schema: describeLine(name, body_line) } }]
      : body === "bytes"
        ? ["The bytes, with their media type.", { "*/*": {} }]
        : ["A JSON document.", { "application/json": { schema: toJsonSchema(body as z.ZodType, "input") } }];
  return { requestBody: { required: true, description, content } };
}

function describeLine(name: string, body_line: z.ZodType): object {
  return name === "ingest" ? { $ref: schemaRef("IncomingRecord") } : toJsonSchema(body_line, "input");
}

/** The same read as a tool: by handle, or by connection, stream and record id. */
function describeTool({ name }: Operation): object {
  return name === "read_record_field" ? { "x-tool-input": { $ref: schemaRef("FieldRead") } } : {};
}
