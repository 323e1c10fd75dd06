import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type FieldPath, formatFieldPath } from "@rungs/evidence";
import { exampleManifest as mail } from "./example-manifest.ts";
import type { Manifest } from "./manifest-schema.ts";
import { requireManifest } from "./require-manifest.ts";
import { getProperties } from "./stream-shape.ts";

test("a source declaration of the protocol is accepted unchanged", () => {
  assert.deepEqual(requireManifest(mail), mail);
});

suite("a source declaration is refused with the location when", () => {
  test("it is not an object", () => {
    for (const value of [null, "text", [], 4])
      assert.throws(() => requireManifest(value), { code: "invalid_manifest" });
  });

  test("a member is unknown, missing or of the wrong form", () => {
    assertRefused(["colour"], (draft) => ({ ...draft, colour: "red" }));
    assertRefused(["protocol_version"], (draft) => ({ ...draft, protocol_version: "9" }));
    assertRefused(["streams"], (draft) => ({ ...draft, streams: [] }));
    assertStreamRefused(["semantics"], { semantics: "log" });
    assertStreamRefused(["primary_key"], { primary_key: "id" });
  });

  test("the source id is not an absolute URI", () => {
    for (const id of ["mail", "/mail", "https:", "a b:c", "https://a b", ""]) {
      assertRefused(["source", "id"], (draft) => ({ ...draft, source: { kind: "connector", id } }));
    }
  });

  test("a stream has a name that handles and wildcards use", () => {
    for (const name of ["*", "a/b", "a:b", "..", "", "a b", "__proto__"])
      assertStreamRefused(["name"], { name });
  });

  test("two streams, views or presets have the same name", () => {
    assertRefused(["streams", 1, "name"], ({ streams, ...draft }) => ({
      ...draft,
      streams: [streams[0], streams[0]],
    }));
    const view = { id: "v", fields: ["id"] };
    assertStreamRefused(["views", 1, "id"], { views: [view, view] });
    const preset = { id: "p", streams: [{ name: "messages" }] };
    assertRefused(["selection_presets", 1, "id"], (draft) => ({
      ...draft,
      selection_presets: [preset, preset],
    }));
  });

  test("a named field is not declared", () => {
    assertStreamRefused(["primary_key"], { primary_key: ["nope"] });
    assertStreamRefused(["cursor_field"], { cursor_field: "nope" });
    assertStreamRefused(["consent_time_field"], { consent_time_field: "toString" });
    assertStreamRefused(["views", 0, "fields"], { views: [{ id: "v", fields: ["id", "nope"] }] });
    assertStreamRefused(["query", "range_filters"], { query: { range_filters: ["nope"] } });
    assertStreamRefused(["query", "range_filters"], { query: { range_filters: { nope: ["gte"] } } });
    for (const path of ["nope", "nope.a", "", "a..b"]) {
      assertStreamRefused(["query", "search", "lexical_fields", 0], {
        query: { search: { lexical_fields: [path] } },
      });
    }
    assertStreamRefused(["schema", "required"], {
      schema: { ...(mail.streams[0]!.schema as object), required: ["id", "nope"] },
    });
  });

  test("a preset selects something that does not exist", () => {
    const refused = (place: FieldPath, stream: object): void =>
      assertRefused(["selection_presets", 0, "streams", 0, ...place], (draft) => ({
        ...draft,
        selection_presets: [{ id: "p", streams: [stream] }],
      }));
    refused(["name"], { name: "nope" });
    refused(["view"], { name: "messages", view: "nope" });
    refused(["view"], { name: "messages", view: "headers", fields: ["id"] });
    refused(["fields", 1], { name: "messages", fields: ["id", "nope"] });
  });

  test("a binary field is declared searchable", () => {
    assertStreamRefused(["query", "search", "lexical_fields", 0], {
      query: { search: { lexical_fields: ["raw"] } },
    });
  });

  test("a primary key is not required, is repeated, or has a type that cannot be a key", () => {
    assertStreamRefused(["primary_key", 0], { primary_key: ["sent_at"] });
    assertStreamRefused(["primary_key", 1], { primary_key: ["id", "id"] });
    const schema = { ...(mail.streams[0]!.schema as object), required: ["unread"] };
    assertStreamRefused(["primary_key", 0], { schema, primary_key: ["unread"] });
  });

  test("an ordering field has a type without an order", () => {
    assertStreamRefused(["cursor_field"], { cursor_field: "parts" });
    assertStreamRefused(["consent_time_field"], { consent_time_field: "unread" });
  });

  test("there are more than 256 properties", () => {
    const many = Array.from({ length: 256 }, (_, at) => [`field_${at}`, { type: "string" }]);
    const properties = { id: { type: "string" }, ...Object.fromEntries(many) };
    const stream = { name: "wide", semantics: "append_only", primary_key: ["id"] };
    const schema = { type: "object", required: ["id"], properties };
    assertRefused(["streams", 0, "schema", "properties"], () => ({
      ...mail,
      streams: [{ ...stream, schema }],
    }));
  });

  test("a field's name would break lists, filters or objects", () => {
    for (const name of [
      "a,b",
      "a=b",
      "a>b",
      " a",
      "",
      "constructor",
      "a\u0000b",
      "x".repeat(129),
      "\ud800",
    ]) {
      assertPropertyRefused(name, { type: "string" }, []);
    }
    const hidden = JSON.stringify(mail).replace('"unread":', '"__proto__":');
    assertRefused(["streams", 0, "schema", "properties"], () => JSON.parse(hidden));
  });

  test("R36 a role is not one of the protocol's", () => {
    assertPropertyRefused("extra", { type: "string", x_pdpp_role: "headline" }, ["x_pdpp_role"]);
    assertPropertyRefused("extra", { type: "string", x_pdpp_role: 4 }, ["x_pdpp_role"]);
  });

  test("the schema does not describe an object", () => {
    for (const schema of [
      true,
      { type: "string" },
      { properties: {} },
      { type: ["object", "null"], properties: {} },
    ]) {
      assertStreamRefused(["schema"], { schema });
    }
  });

  test("the schema uses a keyword that cannot be checked", () => {
    assertPropertyRefused("extra", { if: { type: "string" } }, ["if"]);
    assertPropertyRefused("extra", { type: "object", items: { $ref: "https://example.com/a" } }, [
      "items",
      "$ref",
    ]);
  });

  test("it nests too deeply", () => {
    let nested: unknown = {};
    for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
    assert.throws(() => requireManifest({ ...mail, extensions: { nested } }), { code: "invalid_manifest" });
  });
});

/** The mail manifest with one change is refused at `place`. */
function assertRefused(place: FieldPath, change: (draft: Manifest) => unknown): void {
  const changed = change(structuredClone(mail));
  assert.throws(
    () => requireManifest(changed),
    (error: { code?: string; details?: { param?: string } }) => {
      assert.equal(error.code, "invalid_manifest");
      assert.equal(error.details?.param, formatFieldPath(place));
      return true;
    },
  );
}

function assertStreamRefused(place: FieldPath, members: object): void {
  assertRefused(["streams", 0, ...place], (draft) => ({
    ...draft,
    selection_presets: [],
    streams: [{ ...draft.streams[0], ...members }],
  }));
}

function assertPropertyRefused(name: string, property: unknown, place: FieldPath): void {
  assertRefused(["streams", 0, "schema", "properties", name, ...place], (draft) => {
    const { schema, ...stream } = draft.streams[0]!;
    const properties = { ...getProperties(mail.streams[0]!), [name]: property };
    return { ...draft, streams: [{ ...stream, schema: { ...(schema as object), properties } }] };
  });
}
