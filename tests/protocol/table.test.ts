/** Tests back every row of the tables in docs/protocol.md, by their titles. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

const ROOT = new URL("../../", import.meta.url).pathname;

const ROWS: Readonly<Record<string, readonly string[]>> = {
  "4 record envelope, compound keys, tombstones": [
    "R03 a compound key is fetched by its canonical text",
    "the owner deletes a record once, and it leaves a tombstone",
  ],
  "4 `blob_ref`, ranges, `HEAD`": ["R33 HEAD gives the same headers and no body"],
  "4 `resource_ref`": ["R85 a reference to another record stays data, and a long field arrives whole"],
  "5 source declaration": [
    "R85 the specification's declaration, records, request, grant and introspection work verbatim",
    "a source declaration of the protocol is accepted unchanged",
  ],
  "5 relationships": ["a list rejects filter, an unknown view and expand"],
  "6 selection request": [
    "a request with both or neither of streams and selection_preset is refused before consent",
    "views, presets, the wildcard and omitted fields are expanded",
  ],
  "6 `client_display` in the request": [
    "R85 client_display in a request names a client without a registered name, and nothing in it is fetched",
  ],
  "7 grant": ["one grant may span several sources"],
  "7 fan-in over several connections": [
    "R85 the reads of the protocol's adapter, command line and smoke test get answers in its own terms",
  ],
  "8 introspection": ["a separate resource server introspects a token, with a credential from the owner"],
  "8 resource server apart from its authorization server": [
    "R85 a resource server reads grants from Rungs' authorization server in another process, by introspection",
    "R85 a resource server takes JWT access tokens of an independent authorization server (RFC 9068)",
    "R52 a revocation at the authorization server takes effect within ten seconds, a local one at once",
  ],
  "8 list of streams, freshness": [
    "R85 every answer has the specification's shape, with and without its version header",
  ],
  "8 stream metadata": ["R54 metadata names no field, count or connector outside the grant"],
  "8 list and read records": [
    "R85 a long value arrives whole in a record, in a list and in windows by offset",
    "R85 a reference to another record stays data, and a long field arrives whole",
  ],
  "8 `fields`": ["R85 sort names the cursor field, and a projection includes the required fields"],
  "8 `changes_since`": ["changes arrive with tombstones, and the last page seeds the next session"],
  "8 delete, self-export": ["the owner deletes a record once, and it leaves a tombstone"],
  "8 errors": ["R85 refusals have the codes of the specification's table, and ours as detail"],
  "9 authorization server": [
    "a request can be pushed first, and its request URI works once",
    "a device gets its token once, after the owner typed its code and agreed",
    "a client whose id is the URL of its metadata document needs no registration, and has proven that URL",
  ],
  "collection profile: ingest, state, files": [
    "R85 records of a stream are ingested line by line, by connector or connection name, idempotently",
    "R85 a connector keeps its own state, also by grant, and sees no other's",
    "R70 R85 a declared source gets a connection, a file, and a record that refers to the file",
  ],
  "collection profile: connector manifests": ["R85 the manifest of a connector is a declaration too"],
  "`GET /v1/schema`": [
    "R85 the answers and refusals of every route of the OpenAPI document validate against a schema",
    "R85 every answer has the specification's shape, with and without its version header",
  ],
  "`GET /v1/search`": ["R85 a hit carries its key, source, time and excerpts, and its URL reads the record"],
  "`GET /v1/search/semantic`, `/hybrid`": [
    "R85 search by words, by meaning and by both, on separate routes and by mode, within the grant",
  ],
  "`GET …/field-window`": ["R85 a window around a match says where the match is"],
  "`GET …/aggregate`": [
    "R85 counts and groups carry numbers",
    "R85 times group by every granularity, in a time zone, in order, and report what the limit dropped",
  ],
  "`GET …/records`": ["R85 sort names the cursor field, and a projection includes the required fields"],
  "`GET …/records?filter[…]`": [
    "R85 sort names the cursor field, and a projection includes the required fields",
  ],
  "`GET /`": ["R85 the root and the list of connectors guide a client that knows only the address"],
  "`GET /v1/connectors`": [
    "R85 the root and the list of connectors guide a client that knows only the address",
  ],
  "event subscriptions": [
    "R85 a subscription is verified, announces changes once, signed, and its cursor lists them",
    "R54 nothing outside the grant triggers an event: other fields, streams, connections, records and conditions",
  ],
  "MCP resource subscriptions": [
    "R54 R85 a granted change sends a line whose positions list it, and a hidden one sends none",
    "R54 a change that the grant shows sends a notification, any other change does not, and notifications end with the grant",
  ],
  "agent connect": [
    "R85 a program without a browser connects by agent connect, polls, and gets a token when the owner agrees",
  ],
  "MCP arguments": [
    "R85 translates the spellings of the protocol's other adapter; keeps our own and unknown arguments",
  ],
};

test("R85 every row of the protocol's tables names tests that exist", () => {
  const page = readFileSync(`${ROOT}docs/protocol.md`, "utf8");
  const rows = page.split("\n").flatMap((line) => {
    const [, first = "", state = ""] = line.split("|").map((cell) => cell.trim());
    return ["has", "differs", "lacks"].includes(state) ? [first] : [];
  });
  assert.deepEqual(rows.toSorted(), Object.keys(ROWS).toSorted());
  const files = globSync(["tests/**/*.test.ts", "packages/*/src/**/*.test.ts"], { cwd: ROOT });
  const source = files
    .filter((file) => !file.endsWith("protocol/table.test.ts"))
    .map((file) => readFileSync(ROOT + file, "utf8"))
    .join("\n");
  for (const [row, titles] of Object.entries(ROWS))
    for (const title of titles) assert.ok(source.includes(JSON.stringify(title)), `${row}: ${title}`);
});
