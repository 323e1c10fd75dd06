/**
 * Writers, readers and an owner who revokes access, while everything else fails. Each answer is success or a retryable
 * code.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "@rungs/contract";
import { addExclusion, listGrants, type OwnerContext, revokeGrant } from "@rungs/server";
import { Random } from "../../testing/random.ts";
import { type Answer, ask, sendRecords } from "../ask.ts";
import { COMMON, createNote, deleteNote, numberOf, STREAM, toLines } from "../notes.ts";
import { allow, CONNECTION } from "../world.ts";

/** The retryable codes; `no_server` comes from the balancer. */
const PASSING = new Set([
  "database_unavailable",
  "database_busy",
  "rate_limited",
  "read_cancelled",
  "no_server",
]);
const NEW_RECORDS = 3;

/** The known state of the run. */
export class Truth {
  /** The number of each acknowledged note. */
  readonly kept = new Map<string, number>();
  /** Keys whose deletion was acknowledged. */
  readonly deleted = new Set<string>();
  /** Keys of writes that were not yet acknowledged. */
  readonly pending = new Set<string>();
  /** Keys that the owner has begun to hide, and those that clients must no longer see. */
  readonly hiding = new Set<string>();
  readonly hidden = new Set<string>();
  /** Tokens whose revocation was acknowledged. */
  readonly revoked: string[] = [];
  readonly counts = { slow: 0, writes: 0, reads: 0, revocations: 0, hidden: 0, refused: 0, checks: 0 };
}

export interface Agents {
  /** The balancer. */
  readonly url: string;
  /** Each server by itself. */
  readonly listServers: () => readonly string[];
  readonly truth: Truth;
  readonly owner_token: string;
  /** The pause of each agent between two requests. */
  readonly pause_ms: number;
  readonly stop: AbortSignal;
}

/** Adds, changes and deletes notes of its own; sends each batch until it is acknowledged. */
export async function runWriter(agents: Agents, writer: number, seed: number): Promise<void> {
  const { truth, stop } = agents;
  const random = new Random(seed);
  const mine: string[] = [];
  for (let turn = 0; !stop.aborted; turn += 1) {
    const batch = new Map<string, number | undefined>();
    const number = (at: number) => (turn * 10 + at) * 100 + writer;
    for (let at = 0; at < NEW_RECORDS; at += 1) batch.set(`w${writer}-${turn}-${at}`, number(at));
    const take = () => mine.splice(random.below(mine.length), 1)[0] as string;
    if (mine.length > 10) batch.set(take(), number(NEW_RECORDS));
    if (mine.length > 10 && turn % 3 === 0) batch.set(take(), undefined);
    for (const key of batch.keys()) truth.pending.add(key);
    const lines = toLines(
      [...batch].map(([key, value]) => (value === undefined ? deleteNote(key) : createNote(key, value))),
    );
    const answer = await persist(agents, () =>
      sendRecords(agents.url, agents.owner_token, CONNECTION, lines),
    );
    assert.equal(answer.body.rejected, 0, JSON.stringify(answer.body));
    for (const [key, value] of batch) {
      truth.pending.delete(key);
      if (value === undefined) {
        truth.kept.delete(key);
        truth.deleted.add(key);
      } else {
        truth.kept.set(key, value);
        if (!mine.includes(key)) mine.push(key);
      }
    }
    truth.counts.writes += batch.size;
    await delay(agents.pause_ms);
  }
}

/**
 * Searches, opens hits, and reads notes in a known state: no answer may be older than the writes acknowledged before
 * the request.
 */
export async function runReader(agents: Agents, token: string, seed: number): Promise<void> {
  const { truth, stop, url } = agents;
  const random = new Random(seed);
  const kinds = [
    () => searchAndOpen(agents, token),
    () => requireFresh(agents, token, choose(random, truth.kept.keys())),
    () => requireAbsent(agents, url, token, choose(random, truth.deleted)),
    () => requireAbsent(agents, url, token, choose(random, truth.hidden)),
  ];
  while (!stop.aborted) {
    await random.pick(kinds)();
    await delay(agents.pause_ms * (0.5 + random.next()));
  }
}

function choose(random: Random, keys: Iterable<string>): string | undefined {
  const all = [...keys];
  return all.length === 0 ? undefined : random.pick(all);
}

async function searchAndOpen({ url, truth }: Agents, token: string): Promise<void> {
  const found = await ask(`${url}/v1/search?q=${COMMON}&connection_id=${CONNECTION}&limit=3`, token);
  if (!requireSuccessOrRetry(truth, found)) return;
  for (const { record_id } of found.body.data) {
    const path = `${recordPath(record_id)}/field-window?connection_id=${CONNECTION}&field_path=body`;
    const window = await ask(url + path, token);
    // It may be deleted or hidden by now.
    if (window.status !== 404 && requireSuccessOrRetry(truth, window))
      assert.ok(window.body.window.text.startsWith(COMMON));
  }
}

async function requireFresh({ url, truth }: Agents, token: string, key = ""): Promise<void> {
  const expected = truth.kept.get(key);
  if (expected === undefined || truth.pending.has(key) || truth.hiding.has(key)) return;
  const answer = await ask(`${url}${recordPath(key)}?connection_id=${CONNECTION}`, token);
  if (truth.pending.has(key) || truth.hiding.has(key) || truth.deleted.has(key)) return;
  if (answer.status !== 404 && !requireSuccessOrRetry(truth, answer)) return;
  assert.equal(
    answer.status,
    200,
    `${key} was acknowledged, and is not there: ${JSON.stringify(answer.body)}`,
  );
  assert.ok(numberOf(answer.body.data) >= expected, `${key} is older than what was acknowledged`);
}

async function requireAbsent({ truth }: Agents, url: string, token: string, key?: string): Promise<void> {
  if (key === undefined) return;
  const answer = await ask(`${url}${recordPath(key)}?connection_id=${CONNECTION}`, token);
  if (answer.status === 0 || answer.status === 404) return;
  requireSuccessOrRetry(truth, answer);
  assert.notEqual(answer.status, 200, `${key} is shown, although it was deleted or hidden`);
}

/** Grants, uses and revokes tokens, and hides notes. */
export async function runOwner(agents: Agents, parts: OwnerContext, seed: number): Promise<void> {
  const { truth, stop, url } = agents;
  const random = new Random(seed);
  for (let round = 0; !stop.aborted; round += 1) {
    const token = await retry(agents, () => allow(parts, `short-${round}`));
    const used = await ask(`${url}/v1/schema`, token);
    requireSuccessOrRetry(truth, used);
    const granted = await retry(agents, () => listGrants(parts));
    for (const { grant, revoked_at } of granted)
      if (grant.client.client_id === `short-${round}` && revoked_at === undefined)
        await retry(agents, () => revokeGrant(parts, grant.grant_id));
    truth.revoked.push(token);
    truth.counts.revocations += 1;
    if (random.chance(0.3)) await hideOne(agents, parts, random);
    await delay(agents.pause_ms * 2);
  }
}

async function hideOne(agents: Agents, parts: OwnerContext, random: Random): Promise<void> {
  const { truth } = agents;
  const record_id = choose(random, truth.kept.keys());
  if (record_id === undefined) return;
  truth.hiding.add(record_id);
  const rule = { kind: "record", connection_id: CONNECTION, stream: STREAM, record_id } as const;
  try {
    await retry(agents, () => addExclusion(parts, rule));
    truth.hidden.add(record_id);
    truth.counts.hidden += 1;
  } catch (error) {
    // Its writer deleted it meanwhile.
    if (!(error instanceof ApiError && truth.deleted.has(record_id))) throw error;
  }
}

/** Tries revoked tokens and hidden notes at every server: none may work again. */
export async function runIntruder(agents: Agents, token: string, seed: number): Promise<void> {
  const { truth, stop } = agents;
  const random = new Random(seed);
  while (!stop.aborted) {
    for (const url of agents.listServers()) {
      // The newest is the one that a server might still cache.
      const revoked = random.chance(0.5)
        ? truth.revoked.at(-1)
        : truth.revoked[random.below(truth.revoked.length)];
      if (revoked !== undefined) {
        const answer = await ask(`${url}/v1/search?q=${COMMON}`, revoked);
        assert.notEqual(answer.status, 200, "a revoked token works again");
        if (![0, 401, 403].includes(answer.status)) requireSuccessOrRetry(truth, answer);
        truth.counts.checks += 1;
      }
      const hidden = [...truth.hidden].at(-1);
      if (hidden !== undefined) await requireAbsent(agents, url, token, hidden);
    }
    await delay(agents.pause_ms);
  }
}

function recordPath(key: string): string {
  return `/v1/streams/${STREAM}/records/${key}`;
}

/** Whether it succeeded; any other answer must be a retryable code with `Retry-After`. */
function requireSuccessOrRetry({ counts }: Truth, answer: Answer): boolean {
  counts.reads += 1;
  if (answer.status === 200) return true;
  counts.refused += 1;
  const { error } = answer.body ?? {};
  // A machine that is too busy, with a read or with other programs.
  if (error?.code === "work_limit_exceeded" && error.unit === "milliseconds") {
    counts.slow += 1;
    return false;
  }
  const told = `answered ${answer.status}: ${JSON.stringify(answer.body ?? String(answer.failure))}`;
  assert.ok(PASSING.has(error?.code), told);
  assert.ok(answer.retry_after, `no Retry-After: ${told}`);
  return false;
}

/** Sends a request until it succeeds. */
async function persist(agents: Agents, send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (requireSuccessOrRetry(agents.truth, answer)) return answer;
    await delay(agents.pause_ms);
  }
}

/** Retries an action on the database itself until it succeeds, as by command line. */
async function retry<T>({ pause_ms }: Agents, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError && error.code !== "database_unavailable") throw error;
      await delay(pause_ms);
    }
  }
}
