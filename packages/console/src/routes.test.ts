/** Every page reads through the operations or the owner interface, and leaves a row in the audit log. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { formatRecordPage } from "@rungs/contract";
import { createGrant, describeEvent, listAudit, previewChoice, writeGrantRequest } from "@rungs/server";
import { type Agent, createAgent } from "../../../testing/console/agent.ts";
import { readConsent } from "../../../testing/console/outlines.ts";
import {
  type Halves,
  openSession,
  type ServedConsole,
  serveConsole,
} from "../../../testing/console/served.ts";
import { createNote } from "../../../testing/library.ts";
import { consoleRoutes } from "./routes.ts";

/** Words that only records have. */
const CONTENT = /a crane|heron|odd key|Line 1 of|picture bytes/;
const CHOSEN = [{ connection_id: "home", stream: "notes", fields: ["title", "body"] }];
const note = (record_id: string) =>
  formatRecordPage({ connection_id: "home", stream: "notes", record_id }).replace("/console", "");

let served: ServedConsole;
let halves: Halves;
let agent: Agent;
/** An address for each page, by its route. */
let examples: Readonly<Record<string, string>>;
before(async () => {
  served = await serveConsole();
  const { parts, url } = served;
  const { store, owner_id } = parts;
  halves = await openSession(await served.loginLink());
  agent = await createAgent(url, "Bird Notes");
  const picture = await putPicture("text/plain", "picture bytes");
  const [stored] = await store.ingest(owner_id, "home", [createNote("pictured", { picture })]);
  assert.equal(stored?.status, "added", JSON.stringify(stored));
  const order = { client: { client_id: "reader" }, details: await writeGrantRequest(parts, CHOSEN) };
  const { grant, token } = await createGrant(parts, order);
  await fetch(`${url}/v1/search?q=crane`, { headers: { Authorization: `Bearer ${token}` } });
  const [read] = await listAudit(parts, { client_id: "reader", limit: 1 });
  examples = {
    "/sign-in": "/sign-in",
    "/": "",
    "/search": "/search?q=crane",
    "/streams/:connection_id/:stream": "/streams/home/notes",
    "/records/:record": note("script"),
    "/records/:record/field": `${note("long")}/field?field_path=body`,
    "/records/:record/around": `${note("script")}/around`,
    "/blobs/:blob_id": `/blobs/${picture.blob_id}`,
    "/delete": "/delete?what=home/notes",
    "/grants": "/grants",
    "/grants/new": "/grants/new",
    "/grants/:grant_id/change": `/grants/${grant.grant_id}/change`,
    "/explain": "/explain?record=home/notes:script",
    "/hidden": "/hidden",
    "/grants/:grant_id/revoke": `/grants/${grant.grant_id}/revoke`,
    "/activity": "/activity?who=all",
    "/activity/receipt": `/activity/receipt?client=reader&grant=${grant.grant_id}&last=${read?.audit_id}`,
    "/activity/export": "/activity/export?format=csv",
    "/connect": "/connect",
    "/import": "/import",
    "/import/:import_id": "/import/none",
    "/sync": "/sync",
    "/sync/:sync_id": "/sync/none",
    "/settings": "/settings",
    "/join": "/join?code=none",
    "/owners": "/owners",
    "/owners/remove": "/owners/remove?owner_id=none",
    "/consent/:uid": "consent",
    "/device": "/device",
  };
});
after(async () => {
  agent?.stop();
  await served?.close();
});

async function putPicture(mime_type: string, text: string) {
  const { store, owner_id } = served.parts;
  const bytes = ReadableStream.from([Buffer.from(text)]);
  return store.putBlob(owner_id, "home", bytes, mime_type);
}

async function show(example: string): Promise<string> {
  if (example === "consent") return readConsent(agent.authorizationUrl(), halves);
  return (await fetch(`${served.url}/console${example}`, { headers: { ...halves } })).text();
}

/** The audit rows of reads during `act`. */
async function listReads(act: () => Promise<unknown>): Promise<string[]> {
  const [last] = await listAudit(served.parts, { limit: 1 });
  await act();
  const rows = await listAudit(served.parts, { limit: 200 });
  return rows.filter(({ audit_id }) => audit_id > (last?.audit_id ?? 0)).map(({ operation }) => operation);
}

const isRead = (operation: string) =>
  describeEvent(operation) === undefined || operation === "records_previewed";

test("R55 every page that shows record content is in the audit log", async () => {
  const shown: string[] = [];
  const routes = consoleRoutes.filter(({ method }) => method === "GET").map(({ path }) => path);
  for (const route of routes) {
    const example = examples[route];
    assert.ok(example !== undefined, `${route} needs an example in this test`);
    let page = "";
    const reads = (
      await listReads(async () => {
        page = await show(example);
      })
    ).filter(isRead);
    const isContent = CONTENT.test(page.replace(/^.*<main/s, "").replace(/<[^>]*>/g, ""));
    if (isContent) shown.push(route);
    assert.ok(!isContent || reads.length > 0, `${route} shows records and left no row`);
  }
  assert.deepEqual(shown, [
    "/search",
    "/streams/:connection_id/:stream",
    "/records/:record",
    "/records/:record/field",
    "/records/:record/around",
    "/blobs/:blob_id",
    "/grants/:grant_id/change",
  ]);
});

test("R55 the counts of the first page come from audited operations", async () => {
  await served.parts.store.ingest(served.parts.owner_id, "home", [createNote("one more", {})]);
  const reads = await listReads(() => show(""));
  assert.ok(reads.includes("schema"), reads.join());
  assert.ok(reads.includes("aggregate"), reads.join());
});

test("R55 viewing the sample records of a grant is in the audit log", async () => {
  const reads = await listReads(async () => {
    const preview = await previewChoice(served.parts, { client_id: "reader" }, { streams: CHOSEN });
    assert.ok((preview?.streams[0]?.samples.length ?? 0) > 0);
  });
  assert.deepEqual(reads, ["records_previewed"]);
});

test("R33 only a PDF is opened in the browser, and only on request; anything else is a sandboxed download", async () => {
  const { store, owner_id } = served.parts;
  for (const mime_type of ["application/pdf", "text/html", "image/svg+xml"]) {
    const picture = await putPicture(mime_type, `<script>1</script> of ${mime_type}`);
    await store.ingest(owner_id, "home", [createNote(mime_type, { picture })]);
    for (const view of ["", "?view=pdf"]) {
      const address = `${served.url}/console/blobs/${picture.blob_id}${view}`;
      const { headers } = await fetch(address, { headers: { ...halves } });
      const isOpened = mime_type === "application/pdf" && view !== "";
      const policy = headers.get("Content-Security-Policy");
      assert.equal(headers.get("Content-Disposition"), isOpened ? "inline" : "attachment", address);
      assert.equal(policy, isOpened ? "default-src 'none'" : "default-src 'none'; sandbox");
      assert.equal(headers.get("X-Content-Type-Options"), "nosniff");
    }
  }
});

test("R55 no page calls the store: it reads through the operations, or asks the owner interface", () => {
  const files = globSync("**/*.ts", { cwd: import.meta.dirname }).filter(
    (file) => !file.endsWith(".test.ts"),
  );
  assert.ok(files.length > 50);
  for (const file of files) {
    const code = readFileSync(`${import.meta.dirname}/${file}`, "utf8");
    assert.doesNotMatch(code, /\.store\b|\bstore\s*[,}.:]/, file);
    assert.doesNotMatch(
      code,
      /import \{(?!\s*type )[^}]*\} from "@rungs\/store/,
      `${file} imports only types`,
    );
  }
});
