import { type ErrorCode, errorRegistry } from "../errors/errors.ts";
import type { Operation } from "../operations/operation.ts";
import { answerRef, schemaRef } from "./schemas.ts";

const headers = {
  "PDPP-Version": { $ref: "#/components/headers/PdppVersion" },
  "Request-Id": { $ref: "#/components/headers/RequestId" },
};

/** The headers that every answer has. */
export const sharedHeaders = {
  PdppVersion: { description: "The protocol version of the answer.", schema: { type: "string" } },
  RequestId: { description: "Names this request in the server's log.", schema: { type: "string" } },
};

/** The error responses of each status, as operations refer to them. */
export function describeSharedResponses(): Record<string, object> {
  const content = { "application/json": { schema: { $ref: schemaRef("Error") } } };
  const statuses = [...groupByStatus(Object.keys(errorRegistry) as ErrorCode[])].sort(
    ([left], [right]) => left - right,
  );
  return Object.fromEntries(
    statuses.map(([status, group]) => [
      refusalName(status),
      { description: group.join(", "), headers, content },
    ]),
  );
}

/** Lists an operation's response and its error responses, grouped by status. */
export function describeResponses(operation: Operation): Record<string, object> {
  return { ...describeAnswer(operation), ...describeRefusals(operation.errors) };
}

function describeAnswer(operation: Operation): Record<string, object> {
  const schema = { $ref: answerRef(operation) };
  switch (operation.answer) {
    case "json":
      return {
        [operation.status ?? 200]: {
          description: "The answer.",
          headers,
          content: { "application/json": { schema } },
        },
      };
    case "ndjson": {
      const description = "One JSON document on each line.";
      return { 200: { description, headers, content: { "application/x-ndjson": { schema } } } };
    }
    case "empty":
      return { 204: { description: "Done.", headers } };
    case "bytes": {
      const content = { "*/*": { schema: { type: "string", format: "binary" } } };
      return {
        200: { description: "All the bytes, in their own media type.", headers, content },
        206: { description: "The bytes of the range.", headers, content },
      };
    }
  }
}

/** In OpenAPI 3.1 a description next to a reference replaces the referenced one. */
function describeRefusals(codes: readonly ErrorCode[]): Record<string, object> {
  const refusals = [...groupByStatus(codes)].map(([status, group]): [string, object] => [
    String(status),
    { $ref: `#/components/responses/${refusalName(status)}`, description: group.join(", ") },
  ]);
  return Object.fromEntries(refusals);
}

function groupByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  return Map.groupBy([...new Set(codes)].sort(), (code) => errorRegistry[code].status);
}

function refusalName(status: number): string {
  return `Refusal${status}`;
}
