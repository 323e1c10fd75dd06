/**
 * Two servers whose data differs only outside a grant give identical answers, byte for byte, on every surface:
 * statuses, headers, bodies, errors, remaining budgets, what hosts list, and how many rows a refusal read.
 */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { formatRecordUri } from "@rungs/evidence";
import { createServer, createToken, digestToken, openSealer } from "@rungs/server";
import type { Store } from "@rungs/store";
import { addMcp } from "rungs/internal/mcp-endpoint";
import { engines, openTestStore } from "../../testing/engines.ts";
import { connectApp } from "../../testing/mcp/connect.ts";
import { createManifest } from "../../testing/store/manifests.ts";
import { Oracle } from "../../testing/store/oracle.ts";
import { finishRules } from "../../testing/store/pattern-rules.ts";
import { createOwner, EMITTED_AT, fieldsOf, OWNER } from "../../testing/store/world.ts";
import { toGrant } from "../http/grant-of-scope.ts";
import { listHidden, listShown, NARROWINGS } from "./twin-records.ts";
import { listUnasked, MESSAGES, REQUESTS, type RequestHeaders, TOOL_CALLS } from "./twin-requests.ts";

type Json = ReturnType<typeof JSON.parse>;

const NOW = Date.UTC(2026, 5, 1);

interface Twin {
  readonly store: Store;
  readonly app: ReturnType<typeof createServer>;
  readonly token: string;
  close(): Promise<void>;
}

async function openTwin(engine: string, name: string, hidden_count: number): Promise<Twin> {
  const { limits = {}, hides = [] } = NARROWINGS[name] ?? {};
  const { store, close } = await openTestStore(engine);
  await createOwner(store);
  const put = (text: string) =>
    store.putBlob(OWNER, "mail", Readable.from([Buffer.from(text)]), "text/plain");
  const secret_blob = await put("bytes of a hidden file");
  const [shown, hidden] = [
    listShown(await put("bytes of a shown file")),
    listHidden(hidden_count > 1 ? secret_blob : undefined, hidden_count),
  ];
  // Hidden records sort before, between and after the others.
  const half = Math.floor(hidden.length / 4) * 2;
  for (const batch of [hidden.slice(0, half), shown.slice(0, 2), hidden.slice(half), shown.slice(2)])
    if (batch.length > 0) await store.ingest(OWNER, "mail", batch);
  for (const [number, each] of hides.entries())
    await store.putExclusion(OWNER, { rule_id: `never_${number}`, created_at: EMITTED_AT, hides: each });
  await finishRules(store, OWNER);
  const streams = ["messages", "files"].map((stream) => ({
    connection_id: "mail",
    stream,
    fields: fieldsOf(stream).filter((field) => field !== "code" && field !== "due"),
    ...(stream === "messages" ? limits : {}),
  }));
  const oracle = new Oracle(createManifest());
  const budget = { bytes: 10_000_000, records: 10_000 };
  await store.putGrant(OWNER, toGrant("g", EMITTED_AT, { owner_id: OWNER, streams }, oracle, budget));
  const token = createToken();
  await store.putToken({
    digest: digestToken(token),
    owner_id: OWNER,
    kind: "client",
    client_id: "agent",
    grant_ids: ["g"],
    created_at: EMITTED_AT,
  });
  const sealer = await openSealer(store);
  const rate = { burst: 1e9, per_second: 1e9 };
  const app = createServer({ store, sealer, now: () => NOW, log: () => undefined, limits: { rate } });
  addMcp(app, store, { now: () => NOW, rate });
  return { store, app, token, close };
}

/** Request ids, and the fences around quoted text. */
const RANDOM =
  /req_[\w-]+|sub_[\w-]+|whsec_[\w+/=]+|(?<=export[-_]links?\/)[\w.-]+|(?<=-{5} (?:begin|end) )[0-9a-f]{12}/g;
/** Keep digests, which are compared. */
const CURSOR = /(?<![\w-])(?![0-9a-f]{64}(?![\w-]))[\w-]{60,}/g;
const DRAWN = ["request-id", "x-request-id"];

/** What a caller sees, without random parts: drops request ids, and keeps only the lengths of sealed cursors. */
async function show(answer: Response): Promise<string> {
  const headers = [...answer.headers].filter(([name]) => !DRAWN.includes(name));
  const text = await answer.text();
  const plain = text.replace(RANDOM, "").replace(CURSOR, (one) => `[${one.length}]`);
  return JSON.stringify([
    answer.status,
    headers.map(([name, value]) => [name, value.replace(CURSOR, "[]")]),
    plain,
  ]);
}

async function askAll({ store, app, token }: Twin, isSqlite: boolean): Promise<[string, string][]> {
  const seen: [string, string][] = [];
  const ask = async (path: string, { method = "GET", body: sent, ...headers }: RequestHeaders = {}) => {
    const rows = store.traffic.rows;
    const answer = await app.request(path, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...headers },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const body = answer.clone();
    const shown = await show(answer);
    // The cost of a refusal must not reveal its reason. On PostgreSQL, audit rows would distort the count.
    const cost = isSqlite && answer.status >= 400 ? ` after ${store.traffic.rows - rows} rows` : "";
    seen.push([`${method} ${path} ${JSON.stringify(headers)}`, shown + cost]);
    return body;
  };
  for (const [path, headers] of REQUESTS) {
    const answer = await ask(path, headers);
    const etag = answer.headers.get("etag");
    if (etag) await ask(path, { ...headers, "If-None-Match": etag });
    if (!/^application\/json/.test(answer.headers.get("content-type") ?? "") || headers?.method) continue;
    const { next_cursor, next_changes_since, window } = (await answer.json()) as Json;
    const join = path.includes("?") ? "&" : "?";
    for (const cursor of [next_cursor, window?.next_cursor, window?.previous_cursor])
      if (cursor) await ask(`${path}${join}cursor=${encodeURIComponent(cursor)}`);
    if (!next_changes_since) continue;
    const since = `changes_since=${encodeURIComponent(next_changes_since)}`;
    await ask(`${MESSAGES}/records?${since}`);
    await ask(`/v1/watch/messages?seconds=0&${since}`);
  }
  for (const text of ["bytes of a shown file", "bytes of a hidden file", "bytes of no file"]) {
    const blob_id = await digest(text);
    for (const range of [undefined, "bytes=0-3", "bytes=-2", "bytes=900-", "bytes=0-1,3-4"])
      for (const method of ["GET", "HEAD"])
        await ask(`/v1/blobs/${blob_id}`, { method, ...(range ? { Range: range } : {}) });
  }
  return seen;
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", Buffer.from(text));
  return Buffer.from(bytes).toString("hex");
}

async function askHost({ app, token }: Twin): Promise<[string, string][]> {
  const client = await connectApp(app, token);
  const seen: [string, string][] = [];
  const ask = async (what: string, work: () => Promise<unknown>) => {
    const answer = await work().catch((error: Error) => ({ refused: error.message }));
    seen.push([
      what,
      JSON.stringify(answer)
        .replace(RANDOM, "")
        .replace(CURSOR, (one) => `[${one.length}]`),
    ]);
  };
  await ask("tools", () => client.listTools());
  await ask("resources", () => client.listResources());
  await ask("templates", () => client.listResourceTemplates());
  for (const uri of [
    "pdpp://stream/mail/messages",
    ...["a", "h1", "never-was"].map((record_id) =>
      formatRecordUri({ connection_id: "mail", stream: "messages", record_id }),
    ),
  ])
    await ask(uri, () => client.readResource({ uri }));
  const given = new Set<string>();
  const call = async (name: string, args: Record<string, unknown>) => {
    for (const parameter of Object.keys(args)) given.add(`${name} ${parameter}`);
    await ask(`${name} ${JSON.stringify(args)}`, async () => {
      const answer: Json = await client.callTool({ name, arguments: args });
      const found = /"(?:next_)?cursor":"(?<cursor>[\w.-]{30,})"/.exec(JSON.stringify(answer));
      if (found && args.cursor === undefined) await call(name, { ...args, cursor: found.groups?.cursor });
      return answer;
    });
  };
  for (const [name, args] of TOOL_CALLS) await call(name, args);
  const { tools } = await client.listTools();
  const parameters = tools.flatMap(({ name, inputSchema }) =>
    Object.keys(inputSchema.properties ?? {}).map((parameter) => `${name} ${parameter}`),
  );
  assert.deepEqual(
    parameters.filter((each) => !given.has(each)),
    [],
    "every parameter of every tool",
  );
  await client.close();
  return seen;
}

/** Faces are independent of engines: run PostgreSQL under two grants; the store's tests cover all. */
const ON_POSTGRES = ["condition", "rule by pattern"];

for (const engine of Object.keys(engines))
  for (const name of engine === "sqlite" ? Object.keys(NARROWINGS) : ON_POSTGRES)
    test(`R17 R54 R80 R81 R83 no surface reveals what a ${name} hides (${engine})`, async (t) => {
      const twins: Twin[] = [];
      t.after(() => Promise.all(twins.map((twin) => twin.close())));
      for (const hidden_count of [1, 4]) twins.push(await openTwin(engine, name, hidden_count));
      const [one, other] = await Promise.all(
        twins.map(async (twin) => [...(await askAll(twin, engine === "sqlite")), ...(await askHost(twin))]),
      );
      assert.ok(one && other && one.length > 200);
      assert.deepEqual(listUnasked(one.map(([asked]) => asked)), [], "every operation and parameter");
      const different = one.flatMap(([asked, answer], number) => {
        const others = other[number]?.[1] ?? "";
        if (answer === others) return [];
        const place = [...answer].findIndex((char, at_char) => char !== others[at_char]);
        const near = (text: string) => text.slice(Math.max(0, place - 60), place + 60);
        return [`${asked}: ${near(answer)} | ${near(others)}`];
      });
      assert.deepEqual(different, []);
      const text = one.map(([, answer]) => answer).join("\n");
      assert.match(text, /the roof leaks/);
      assert.doesNotMatch(text, /clinic\.example|zebra0/);
    });
