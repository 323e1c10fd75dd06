/** The size of every page with many entries in every list: grants, rules, tokens, reads, imports, fields. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { formatRecordPage, type Manifest, requireManifest } from "@rungs/contract";
import {
  addExclusion,
  createGrant,
  createOwnerToken,
  createWriteToken,
  listAudit,
  listGrants,
  putConnection,
  recordImport,
  revokeGrant,
  writeGrantRequest,
} from "@rungs/server";
import { type Halves, openSession, type ServedConsole, serveConsole } from "../../testing/console/served.ts";

const MOST_BYTES = 40_000;
const MANY = 120;
const FIELDS = 250;
/** The longest possible name, in the script that takes the most bytes. */
const nameOf = (at: number) => `${"古い家の手紙と写真".repeat(25)}`.slice(0, 190) + at;
const textOf = (at: number) => `${at} ${"wide words of a row ".repeat(20)}`;
const wideField = (at: number) => `a_column_with_a_rather_long_name_${at}`;

/** One stream with more columns than any table made by people. */
const table: Manifest = requireManifest({
  protocol_version: "0.1.0",
  source: { kind: "connector", id: "https://rungs.example/connectors/table" },
  declaration_version: "1",
  display: { name: "Table" },
  streams: [
    {
      name: "rows",
      semantics: "mutable_state",
      primary_key: ["id"],
      query: { search: { lexical_fields: Array.from({ length: 20 }, (_, at) => wideField(at)) } },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          group: { type: "string", x_pdpp_role: "thread" },
          at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
          ...Object.fromEntries(
            Array.from({ length: FIELDS }, (_, at) => [wideField(at), { type: "string" }]),
          ),
        },
      },
    },
  ],
});

/** Long letters in one conversation, of many years and people, with a word of each search far from the others. */
const letters: Manifest = requireManifest({
  protocol_version: "0.1.0",
  source: { kind: "connector", id: "https://rungs.example/connectors/letters" },
  declaration_version: "1",
  display: { name: "Letters" },
  streams: [
    {
      name: "letters",
      semantics: "mutable_state",
      primary_key: ["id"],
      consent_time_field: "sent_at",
      query: {
        search: { lexical_fields: ["subject", "body", "from", "note"] },
        range_filters: ["sent_at"],
      },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          subject: { type: "string", x_pdpp_role: "primary-title" },
          from: { type: "string", x_pdpp_role: "actor" },
          talk: { type: "string", x_pdpp_role: "thread" },
          sent_at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
          body: { type: "string", x_pdpp_role: "body" },
          note: { type: "string" },
        },
      },
    },
  ],
});
const LETTERS = Array.from({ length: 40 }, (_, at) => {
  const id = `letter-${at}-${"x".repeat(100)}`;
  const long = `${nameOf(at)} heron ${"手紙".repeat(150)} crane `.repeat(5);
  const from = `${"花子".repeat(20)} ${at} <hanako-${at}@${"example".repeat(6)}.org>`;
  const sent_at = new Date(Date.UTC(1990 + at, at % 12, 3)).toISOString();
  return {
    stream: "letters",
    key: id,
    emitted_at: "2026-01-01T00:00:00Z",
    data: { id, subject: `heron ${nameOf(at)}`, from, talk: "t", sent_at, body: long, note: long },
  };
});

let served: ServedConsole;
let halves: Halves;
let paths: readonly string[];

before(async () => {
  served = await serveConsole();
  const { parts } = served;
  const { store, owner_id } = parts;
  await putConnection(parts, "wide", table, nameOf(0));
  await store.ingest(
    owner_id,
    "wide",
    Array.from({ length: 60 }, (_, row) => ({
      stream: "rows",
      key: `r${row}`,
      emitted_at: "2026-01-01T00:00:00Z",
      data: {
        id: `r${row}`,
        group: "g",
        at: new Date(1.7e12 + row * 1000).toISOString(),
        ...Object.fromEntries(Array.from({ length: FIELDS }, (_, at) => [wideField(at), textOf(at)])),
      },
    })),
  );
  await putConnection(parts, "letters", letters, nameOf(1));
  const stored = await store.ingest(owner_id, "letters", LETTERS);
  assert.ok(
    stored.every(({ status }) => status === "added"),
    JSON.stringify(stored[0]),
  );
  const fields = ["id", ...Array.from({ length: FIELDS }, (_, at) => wideField(at))];
  const details = await writeGrantRequest(parts, [{ connection_id: "wide", stream: "rows", fields }]);
  for (let at = 0; at < 2 * MANY; at += 1)
    await createGrant(parts, { client: { client_id: `agent-${at}`, name: nameOf(at) }, details });
  const grants = await listGrants(parts);
  for (const { grant } of grants.slice(0, MANY)) await revokeGrant(parts, grant.grant_id);
  // Each new import reads the existing ones, which stay short until they end.
  const recorders = [];
  for (let at = 0; at < MANY; at += 1)
    recorders.push(await recordImport(parts, { name: nameOf(at), origin: "upload" }));
  for (const [at, run] of recorders.entries()) {
    await addExclusion(parts, {
      kind: "record",
      connection_id: "wide",
      stream: "rows",
      record_id: `${nameOf(at)}`,
    });
    await createOwnerToken(parts);
    await createWriteToken(parts, "wide");
    await run.end({
      state: "done",
      imports: [
        {
          connection_id: "wide",
          added: at,
          changed: 0,
          unchanged: 0,
          rejected: MANY,
          rejections: Array.from({ length: 50 }, (_, of) => ({
            place: `${nameOf(of)}:7`,
            message: textOf(of),
          })),
        },
      ],
      recognised: Array.from({ length: MANY }, (_, of) => ({
        label: "Mail",
        path: nameOf(of),
        file_count: 3,
        reason: "it begins with From",
      })),
      left_out: Array.from({ length: MANY }, (_, of) => ({
        path: nameOf(of),
        reason: "no importer takes it",
      })),
    });
  }
  const live = (await listGrants(parts)).find(({ revoked_at }) => revoked_at === undefined)?.grant;
  const now_ms = Date.now();
  await store.appendAudit(
    owner_id,
    Array.from({ length: 2_000 }, (_, at) => ({
      at: new Date(now_ms - (2_000 - at) * 100).toISOString(),
      request_id: `read-${at}`,
      client_id: at < 1_000 ? "reader" : `agent-${at % 30}-${"x".repeat(80)}`,
      operation: "read_record_field",
      status: 200,
      connection_id: "wide",
      stream: "rows",
      record_id: `r${at % 60}`,
      field: wideField(at % FIELDS),
      range_start: 0,
      range_end: 4_000,
      bytes: 4_000,
    })),
  );
  const [last] = await listAudit(parts, { client_id: "reader", limit: 1 });
  const run = (await store.listState(owner_id, "import-run"))[0]?.id;
  for (let at = 0; at < 40; at += 1) await openSession(await served.loginLink());
  halves = await openSession(await served.loginLink());
  const record = formatRecordPage({ connection_id: "wide", stream: "rows", record_id: "r30" });
  const letter = formatRecordPage({
    connection_id: "letters",
    stream: "letters",
    record_id: LETTERS[20]?.key ?? "",
  });
  paths = [
    "/console",
    "/console/search?q=wide",
    `/console/search?q=${wideField(3)}`,
    "/console/search?q=heron+crane",
    "/console/search?q=heron&connection_id=letters",
    "/console/streams/wide/rows",
    "/console/streams/letters/letters",
    letter,
    `${letter}/around`,
    record,
    `${record}/around`,
    `${record}/field?field_path=${wideField(3)}&q=wide`,
    "/console/delete?what=wide",
    "/console/delete?what=wide/rows",
    "/console/delete?what=wide/rows:r30",
    "/console/grants",
    "/console/grants/new",
    `/console/grants/${live?.grant_id}/revoke`,
    "/console/explain",
    "/console/explain?record=wide/rows:r30",
    `/console/explain?record=wide/rows:r30&grant=${live?.grant_id}`,
    "/console/hidden",
    "/console/activity",
    "/console/activity?who=all",
    `/console/activity/receipt?client=reader&last=${last?.audit_id}`,
    "/console/connect",
    "/console/import",
    `/console/import/${run}`,
    "/console/sync",
    "/console/settings",
    "/console/owners",
  ];
});
after(() => served?.close());

const get = (path: string) => fetch(served.url + path, { headers: { ...halves } });

test("with many entries in every list, a page and its stylesheet take at most 40 kB", async () => {
  const style = Number((await get("/console/style.css")).headers.get("Content-Length"));
  const sizes: Record<string, number> = {};
  for (const path of paths) {
    const answer = await get(path);
    assert.equal(answer.status, 200, path);
    sizes[path] = (await answer.arrayBuffer()).byteLength + style;
  }
  assert.deepEqual(
    Object.entries(sizes).filter(([, bytes]) => bytes > MOST_BYTES),
    [],
  );
});

test("every row of a long list is on exactly one of its pages", async () => {
  const seen: string[] = [];
  for (let path: string | undefined = "/console/grants"; path !== undefined; ) {
    const text = await (await get(path)).text();
    const [active = ""] = text.split("<h2>Ended</h2>");
    seen.push(...[...active.matchAll(/<code class="id">(grant_[\w-]+)<\/code>/g)].map(([, id = ""]) => id));
    path = /<a rel="next" href="([^"]+)">/.exec(active)?.[1]?.replaceAll("&amp;", "&");
  }
  const live = (await listGrants(served.parts)).filter(({ revoked_at }) => revoked_at === undefined);
  assert.deepEqual(seen.toSorted(), live.map(({ grant }) => grant.grant_id).toSorted());
});
