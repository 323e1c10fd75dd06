/** Identifiers: ids, handles, paths, calls. Everything formatted parses back; nothing else is accepted. */
import assert from "node:assert/strict";
import { formatRecordPage, formatToolCall, requireRecordOfPage } from "@rungs/contract";
import {
  formatFieldPath,
  formatFieldWindowUri,
  formatRecordId,
  formatRecordUri,
  parseFieldPath,
  parseFieldWindowUri,
  parseRecordId,
  parseRecordUri,
  recordRefSchema,
  requireFieldPath,
  requireWindowSelector,
  windowSelectorSchema,
  windowSelectorShape,
} from "@rungs/evidence";
import fc from "fast-check";
import { z } from "zod";
import { anyContinuation, anyRef } from "../../testing/arbitraries.ts";
import { fuzz, takeOrRefuse } from "../../testing/fuzz/cases.ts";
import { anyJson, anyText, mangledJson, mangledText } from "../../testing/fuzz/mangled.ts";
import { parseToolCall } from "../../testing/tool-call.ts";

const encode = (json: unknown) => Buffer.from(JSON.stringify(json) ?? "").toString("base64url");
const HANDLE = {
  v: 1,
  kind: "field-window",
  connection_id: "home",
  stream: "notes",
  record_id: "n/1",
  field_path: 'a["b c"][2]',
  selector: { kind: "match", q: "tea", before_chars: 1, after_chars: 2 },
};

fuzz("R03 R06 an id is read or refused, and what was read is an id again", mangledIds(), (id) => {
  const named = takeOrRefuse(() => parseRecordId(id));
  if (!named?.connection_id) return;
  const { connection_id, stream, record_id } = named;
  assert.ok(recordRefSchema.safeParse({ connection_id, stream, record_id }).success);
  const written = formatRecordId({ connection_id, stream, record_id });
  assert.deepEqual(parseRecordId(written), named);
});

fuzz("R05 an id beside any connection is read or refused", fc.tuple(mangledIds(), anyText), ([id, other]) => {
  const named = takeOrRefuse(() => parseRecordId(id, other));
  if (named) assert.equal(named.connection_id, other);
});

fuzz(
  "R07 R40 a handle is read or is none, and read the same after it was written",
  mangledHandles(),
  (uri) => {
    const record = parseRecordUri(uri);
    if (record) assert.deepEqual(parseRecordUri(formatRecordUri(record)), record);
    const window = parseFieldWindowUri(uri);
    if (window) assert.deepEqual(parseFieldWindowUri(formatFieldWindowUri(window)), window);
  },
);

fuzz("R08 the page of a record is read or refused", fc.oneof(mangledIds(), anyText), (name) => {
  const ref = takeOrRefuse(() => requireRecordOfPage(name));
  if (!ref || ref.connection_id === "") return;
  const last = formatRecordPage(ref).split("/").at(-1) ?? "";
  assert.deepEqual(requireRecordOfPage(decodeURIComponent(last)), ref);
});

fuzz(
  "R26 a field path is read or refused, and read the same after it was written",
  mangledPaths(),
  (text) => {
    const path = parseFieldPath(text);
    assert.deepEqual(
      takeOrRefuse(() => requireFieldPath(text)),
      path,
    );
    if (!path) return;
    assert.ok(path.length <= text.length && typeof path[0] === "string");
    assert.deepEqual(parseFieldPath(formatFieldPath(path)), path);
  },
);

fuzz("R21 a selector is read or refused, and stays within its limits", selectors(), (given) => {
  const input = z.strictObject(windowSelectorShape).safeParse(given).data;
  if (!input) return;
  const selector = takeOrRefuse(() => requireWindowSelector(input));
  if (selector) assert.ok(windowSelectorSchema.safeParse(selector).success, JSON.stringify(selector));
});

fuzz(
  "a tool call in text parses or gives undefined, and formats to the same text",
  mangledCalls(),
  (text) => {
    const call = parseToolCall(text);
    if (call) assert.deepEqual(parseToolCall(formatToolCall(call)), call);
  },
);

function mangledIds(): fc.Arbitrary<string> {
  return fc.oneof(anyText, mangledText(anyRef.map(formatRecordId)), mangledHandles());
}

function mangledHandles(): fc.Arbitrary<string> {
  const windows = mangledJson(HANDLE).map((json) => `pdpp://field-window/${encode(json)}`);
  const { field_path: _path, selector: _selector, ...record } = HANDLE;
  const records = mangledJson({ ...record, kind: "record" }).map((json) => `pdpp://record/${encode(json)}`);
  return fc.oneof(windows, records, mangledText(anyRef.map(formatRecordUri)), mangledText(windows));
}

function mangledPaths(): fc.Arbitrary<string> {
  const segments = fc.array(fc.oneof(anyText, fc.nat(1e9)), { minLength: 1, maxLength: 5 });
  return fc.oneof(anyText, mangledText(segments.map(formatFieldPath)));
}

function selectors(): fc.Arbitrary<unknown> {
  const names = Object.keys(windowSelectorShape);
  return fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.integer(), fc.nat(20_000), anyText, anyJson), {
    maxKeys: 4,
  });
}

function mangledCalls(): fc.Arbitrary<string> {
  return fc.oneof(anyText, mangledText(anyContinuation.map(formatToolCall)));
}
