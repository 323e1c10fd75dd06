/** Runs the scripts, command lines and proxy of `deploy/compose` unchanged. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { isErrorCode } from "@rungs/contract";
import { openPostgres } from "@rungs/store/postgres";
import { type Answer, ask, sendRecords } from "../../soak/ask.ts";
import { COMMON, createNote, STREAM, toLines } from "../../soak/notes.ts";
import { CONNECTION, createWorld, type World } from "../../soak/world.ts";
import { Deployment, findMissing } from "../../testing/cluster/deployment.ts";
import { until } from "../../testing/until.ts";

const skip = findMissing();
const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
/** Longer than the proxy takes to notice a failure. */
const DRAIN_SECONDS = 4;

let deployment: Deployment;
let url: string;
let world: World;

before(async () => {
  if (skip) return;
  setDefaultCACertificates([...getCACertificates(), read("testing/tls/authority.pem")]);
  deployment = await Deployment.start({ drain_seconds: DRAIN_SECONDS });
  url = deployment.url;
  const address = deployment.database;
  world = await createWorld({
    engine: "PostgreSQL",
    address,
    folder: deployment.folder,
    open: () => openPostgres(address),
    remove: async () => undefined,
  });
  await until(async () => (await fetch(`${url}/readyz`)).status === 200);
});
after(() => deployment?.close());

/** Searches and writes until `work` is done; returns the answers, and the keys of acknowledged writes. */
async function underLoad(work: () => Promise<unknown>) {
  const answers: Answer[] = [];
  const kept: string[] = [];
  let isOver = false;
  const read = async (token: string) => {
    while (!isOver) {
      answers.push(await ask(`${url}/v1/search?q=${COMMON}&limit=2`, token));
      await delay(30);
    }
  };
  const write = async () => {
    for (let at = 0; !isOver; at += 1) {
      const key = `k${Date.now()}-${at}`;
      const lines = toLines([createNote(key, at)]);
      const answer = await sendRecords(url, world.owner, CONNECTION, lines);
      if (answer.status === 200) kept.push(key);
      answers.push(answer);
      await delay(30);
    }
  };
  const load = Promise.all([...world.agents.map(read), write()]);
  try {
    await work();
  } finally {
    isOver = true;
    await load;
  }
  return { answers, kept };
}

/** The statements in the guide's line that contains a word. */
function findStatements(word: string): string[] {
  const guide = read("docs/operating.md").split("\n");
  const line = guide.find((each) => each.includes(word)) ?? "";
  return [...line.matchAll(/-c "([^"]+)"/g)].map(([, statement = ""]) => statement);
}

/** Each is an answer, or a retryable code. */
function requireAnswers(answers: readonly Answer[]): void {
  for (const { status, body, retry_after, failure } of answers) {
    if (status === 200) continue;
    const told = `${status} ${JSON.stringify(body ?? String(failure))}`;
    assert.ok([502, 503, 504].includes(status), told);
    assert.ok(isErrorCode(body.error.code) && Number(retry_after) > 0, told);
  }
}

async function requireKept(keys: readonly string[]): Promise<void> {
  const [token = ""] = world.agents;
  assert.ok(keys.length > 0);
  for (const key of keys) {
    const path = `/v1/streams/${STREAM}/records/${key}?connection_id=${CONNECTION}`;
    const { status, body } = await ask(url + path, token);
    assert.equal(status, 200, `${key}: ${JSON.stringify(body)}`);
  }
}

/** Client addresses and cookies need the plain request. */
function send(path: string, headers: Record<string, string>, method = "GET", body?: string) {
  return new Promise<{ status: number; headers: Record<string, unknown> }>((resolve, reject) => {
    const call = request(url + path, { method, headers, agent: false }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }));
    });
    call.on("error", reject).end(body);
  });
}

test("R131 without TLS the proxy redirects pages, and takes no token", { skip }, async () => {
  const plain = deployment.plain_url;
  const page = await fetch(`${plain}/console/`, { redirect: "manual" });
  assert.deepEqual(
    [page.status, page.headers.get("Location")],
    [308, `${plain.replace("http:", "https:")}/console/`],
  );
  assert.equal((await fetch(`${plain}/v1/schema`)).status, 403);
});

test("R131 rate limits count by the address that the proxy saw, whatever the caller sends", {
  skip,
}, async () => {
  const register = (at: number) =>
    send(
      "/oauth/register",
      { "Content-Type": "application/json", "X-Forwarded-For": `192.0.2.${at}` },
      "POST",
      JSON.stringify({ client_name: `c${at}`, redirect_uris: ["http://127.0.0.1:7/callback"] }),
    );
  const statuses: number[] = [];
  for (let at = 0; at < 40; at += 1) statuses.push((await register(at)).status);
  assert.equal(statuses.filter((status) => status === 201).length, 30, statuses.join());
});

test("R131 a browser sticks to one server, by a cookie that no page can read", { skip }, async () => {
  const first = await send("/console/sign-in", {});
  const [cookie = ""] = [first.headers["set-cookie"] ?? []].flat() as string[];
  assert.match(cookie, /^__Host-server=[12]; path=\/; HttpOnly; Secure; SameSite=Lax/i);
  const [pair = ""] = cookie.split(";");
  const { length } = deployment.log;
  const listServers = () =>
    deployment.log.slice(length).flatMap((line) => / console\/(\w+) /.exec(line)?.[1] ?? []);
  for (let at = 0; at < 6; at += 1) await send("/console/sign-in", { Cookie: pair });
  await until(() => listServers().length === 6);
  const servers = new Set(listServers());
  assert.deepEqual([...servers], [`rungs${pair.at(-1)}`]);
});

test("R131 a rolling restart refuses nothing", { skip }, async () => {
  const { answers, kept } = await underLoad(async () => {
    for (const name of ["rungs1", "rungs2"] as const) {
      assert.equal(await deployment.end(name, "SIGTERM"), 0);
      await deployment.startServer(name);
      await delay(2_000);
    }
  });
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  await requireKept(kept);
});

test("R131 a server and the primary are killed, and the replica is promoted as the guide says: nothing acknowledged is lost", {
  skip,
}, async () => {
  const { answers, kept } = await underLoad(async () => {
    await deployment.end("rungs1", "SIGKILL");
    await deployment.startServer("rungs1");
    await deployment.end("db1", "SIGKILL");
    assert.notEqual(await deployment.psql("db2", ...findStatements("pg_promote")), undefined);
    await delay(4_000);
  });
  requireAnswers(answers);
  await requireKept(kept);
  assert.equal(await deployment.psql("db2", "SELECT pg_is_in_recovery()"), "f");
});

test("the proxy logs nothing of a search query", { skip }, () => {
  assert.ok(deployment.log.length > 10);
  assert.doesNotMatch(deployment.log.join(""), new RegExp(COMMON));
});
