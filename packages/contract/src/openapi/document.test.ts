import assert from "node:assert/strict";
import { test } from "node:test";
import { assertGolden } from "../../../../testing/golden.ts";
import { errorRegistry } from "../errors/errors.ts";
import { operations } from "../operation-table.ts";
import { createOpenApi } from "./document.ts";

const document = createOpenApi({ version: "0.1.0" });
const text = JSON.stringify(document, null, 1);

test("the document is the reviewed one", () => {
  assertGolden(new URL("../../golden/openapi.json", import.meta.url), `${text}\n`);
});

test("every reference resolves", () => {
  for (const [, ref] of text.matchAll(/"\$ref": "([^"]+)"/g)) {
    const found = ref!
      .slice(2)
      .split("/")
      .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], document);
    assert.ok(found, ref);
  }
});

test("every operation and every error code is in it", () => {
  for (const { name } of Object.values(operations))
    assert.ok(text.includes(`"operationId": "${name}"`), name);
  assert.deepEqual(Object.keys(document["x-error-codes"]), Object.keys(errorRegistry));
});

test("the server's address is included when it is known", () => {
  assert.equal("servers" in document, false);
  const { servers } = createOpenApi({ version: "0.1.0", server_url: "http://127.0.0.1:7717" });
  assert.deepEqual(servers, [{ url: "http://127.0.0.1:7717" }]);
});
