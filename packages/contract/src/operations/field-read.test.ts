import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldWindowSchema } from "@rungs/evidence";
import { toJsonSchema } from "../json-schema/from-zod.ts";
import { fieldReadJsonSchema, requireFieldRead } from "./field-read.ts";

const id = "c/s:r";
const field_path = "body";
const parts = { connection_id: "c", stream: "s", record_id: "r" };

test("R20 the input schema is the fixed one", () => {
  const text = { type: "string" };
  assert.deepEqual(fieldReadJsonSchema, {
    type: "object",
    oneOf: [
      { required: ["id", "field_path"] },
      { required: ["connection_id", "stream", "record_id", "field_path"] },
    ],
    properties: {
      id: text,
      connection_id: text,
      stream: text,
      record_id: text,
      field_path: text,
      cursor: text,
      offset_chars: { type: "integer", minimum: 0 },
      limit_chars: { type: "integer", minimum: 1, maximum: 16384 },
      q: text,
      before_chars: { type: "integer", minimum: 0, maximum: 8192 },
      after_chars: { type: "integer", minimum: 0, maximum: 8192 },
    },
    additionalProperties: false,
  });
});

test("R20 the output schema is the fixed one", () => {
  const text = { type: "string" };
  const integer = { type: "integer" };
  const textOrNull = { type: ["string", "null"] };
  assert.deepEqual(toJsonSchema(fieldWindowSchema), {
    type: "object",
    required: ["record", "field", "window"],
    properties: {
      record: {
        type: "object",
        required: ["id", "connection_id", "stream", "record_id"],
        properties: { id: text, connection_id: text, stream: text, record_id: text },
        additionalProperties: false,
      },
      field: {
        type: "object",
        required: ["path", "text_like"],
        properties: {
          path: text,
          mime_type: text,
          text_like: { type: "boolean" },
          size_chars: integer,
          digest: text,
        },
        additionalProperties: false,
      },
      window: {
        type: "object",
        required: ["text", "start_chars", "end_chars", "limit_chars", "complete"],
        properties: {
          text,
          start_chars: integer,
          end_chars: integer,
          limit_chars: integer,
          complete: { type: "boolean" },
          next_cursor: textOrNull,
          previous_cursor: textOrNull,
          match: {
            type: ["object", "null"],
            properties: { q: text, start_chars: integer, end_chars: integer },
            additionalProperties: false,
          },
        },
        additionalProperties: false,
      },
      resource: {
        type: "object",
        properties: { uri: text, next_uri: textOrNull, previous_uri: textOrNull },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  });
});

test("R20 a record is named by its id or by its three parts, and a window by one selector", () => {
  // Without a size, the server picks the default and shrinks it for text that takes many bytes.
  const selector = { kind: "offset", offset_chars: 0, limit_chars: undefined };
  assert.deepEqual(requireFieldRead({ id, field_path }), { record: parts, field_path, selector });
  assert.deepEqual(requireFieldRead({ ...parts, field_path }), { record: parts, field_path, selector });
  assert.deepEqual(requireFieldRead({ id: "s:r", connection_id: "c", field_path }).record, parts);
  assert.equal(requireFieldRead({ id: "s:r", field_path }).record.connection_id, undefined);
});

test("R20 other inputs are refused with a typed error", () => {
  const cases: [unknown, string, string][] = [
    [{}, "invalid_request", "field_path"],
    [null, "invalid_request", "field_path"],
    [{ field_path }, "invalid_request", "id"],
    [{ stream: "s", record_id: "r", field_path }, "invalid_request", "id"],
    [{ id, ...parts, field_path }, "invalid_request", "id"],
    [{ id, field_path, colour: "red" }, "invalid_request", "colour"],
    [{ id, field_path, limit_chars: 16385 }, "invalid_request", "limit_chars"],
    [{ id, field_path, limit_chars: "4096" }, "invalid_request", "limit_chars"],
    [{ id, field_path, stream: "other" }, "invalid_request", "stream"],
    [{ id, field_path, connection_id: "other" }, "connection_conflict", "connection_id"],
    [{ id: "nonsense", field_path }, "invalid_record_id", "id"],
    [{ ...parts, connection_id: "a/b", field_path }, "invalid_record_id", "connection_id"],
    [{ id, field_path, q: "a", offset_chars: 1 }, "invalid_selector", "offset_chars"],
    [{ id, field_path, before_chars: 1 }, "invalid_selector", "before_chars"],
  ];
  for (const [input, code, param] of cases) {
    assert.throws(
      () => requireFieldRead(input),
      (error: { code?: string; details?: { param?: string } }) => {
        assert.deepEqual(
          { code: error.code, param: error.details?.param },
          { code, param },
          JSON.stringify(input),
        );
        return true;
      },
    );
  }
});
