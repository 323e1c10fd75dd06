/** Several servers on one PostgreSQL: a client's limits over all of them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Cluster, startCluster } from "../../testing/cluster/servers.ts";
import { until } from "../../testing/until.ts";

const RATE = { burst: 32, per_second: 0.01 };
const SHARE = { requests: 4, streams: 2, watches: 3, waiting: 64 };

let cluster: Cluster;
before(async () => {
  cluster = await startCluster({ count: 4, limits: { rate: RATE, share: SHARE, watch_ms: 50 } });
});
after(() => cluster?.close());

const count = (answers: readonly Response[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

test("R57 a grant has one rate on four servers, however its requests are spread", async () => {
  const { token } = await cluster.allow();
  const other = await cluster.allow();
  const answers: Response[] = [];
  for (let round = 0; round < 20; round += 1) {
    const asked = Array.from({ length: 5 }, () => cluster.ask("/v1/schema", token));
    answers.push(...(await Promise.all(asked)));
  }
  const through = count(answers, 200);
  // Other servers may still hold permits when one refuses.
  assert.ok(through >= RATE.burst - 3 && through <= RATE.burst + 4, `${through} of 100 were let through`);
  assert.equal(count(answers, 429), 100 - through);
  assert.equal((await cluster.ask("/v1/schema", other.token)).status, 200);
  assert.ok([...cluster.balancer.counts.values()].every((got) => got > 10));
});

test("R57 watches are counted over all servers, and release their turn on each", async () => {
  const { token } = await cluster.allow();
  const ends: AbortController[] = [];
  const open = async (at: string) => {
    const end = new AbortController();
    const answer = await cluster.ask("/v1/watch/notes", token, { at, signal: end.signal });
    if (answer.status === 200) ends.push(end);
    return answer.status;
  };
  const statuses: number[] = [];
  for (const { url } of [...cluster.servers, ...cluster.servers]) statuses.push(await open(url));
  assert.equal(ends.length, SHARE.watches, statuses.join());
  ends.shift()?.abort();
  const last = cluster.servers[3]?.url ?? "";
  await until(async () => (await open(last)) === 200);
  for (const end of ends) end.abort();
});

test("R59 password guessing is throttled over all servers together", async () => {
  const guess = (at: string, name: string) =>
    fetch(`${at}/console/sign-in`, {
      method: "POST",
      body: new URLSearchParams({ name, password: "a guess of a password" }),
      redirect: "manual",
    });
  const statuses: number[] = [];
  for (let at = 0; at < 8; at += 1) {
    const { url } = cluster.servers[at % 4] ?? { url: "" };
    statuses.push((await guess(url, "somebody")).status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429]);
  assert.equal((await guess(cluster.url, "somebody else")).status, 401, "each name counts by itself");
  const link = new URL(await cluster.loginLink());
  const body = new URLSearchParams({ code: link.searchParams.get("code") ?? "" });
  const signedIn = await fetch(`${cluster.url}/console/sign-in`, {
    method: "POST",
    body,
    redirect: "manual",
  });
  assert.equal(signedIn.status, 303, "links work meanwhile");
});
