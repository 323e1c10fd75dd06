/**
 * Random grants over the store suite's random data, read over HTTP: the oracle knows what each may see. Every answer is also
 * searched for words from outside the grant.
 */
import assert from "node:assert/strict";
import type { Exclusion, Grant, GrantBudget, ReadScope } from "@rungs/contract";
import { createServer, createToken, digestToken, openSealer } from "@rungs/server";
import type { Store } from "@rungs/store";
import { addMcp } from "rungs/internal/mcp-endpoint";
import type { Random } from "../../testing/random.ts";
import { createManifest } from "../../testing/store/manifests.ts";
import { type Held, Oracle } from "../../testing/store/oracle.ts";
import { finishRules } from "../../testing/store/pattern-rules.ts";
import { randomRecord } from "../../testing/store/random-data.ts";
import { CONNECTIONS, randomScope, STREAMS } from "../../testing/store/random-questions.ts";
import { createOwner } from "../../testing/store/world.ts";
import { toGrant } from "./grant-of-scope.ts";
import { Markers } from "./markers.ts";
import { type IngestedBatch, MASKS, MaskedView } from "./masked-view.ts";
import { listParentLimits, randomRules, toExclusions } from "./random-rules.ts";

const NOW = Date.UTC(2026, 5, 1);
const EMITTED_AT = new Date(NOW).toISOString();
/** Two owners with connections, streams and keys of the same names. */
const OWNERS = ["me", "you"] as const;

// biome-ignore lint/suspicious/noExplicitAny: answers are compared with the oracle's.
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** What a tool answered: its structured content, or the code of its refusal. */
export interface ToolAnswer {
  readonly code: string | undefined;
  readonly structured: Json;
}

/** The budget of the grant is used up: nothing more is answered under it. */
export class BudgetSpent extends Error {}

/** A server over two owners' random records, and the oracle that holds the same. */
export class AuthorizationWorld {
  /** What a client would know that reads everything under the current grant, with what is masked. */
  oracle = new Oracle(createManifest());
  readonly random: Random;
  /** Whose data the current grant is about. */
  owner_id: (typeof OWNERS)[number] = OWNERS[0];
  scope!: ReadScope;
  readonly #whole = this.oracle;
  readonly #batches: IngestedBatch[] = [];
  readonly #markers = new Markers();
  readonly #store: Store;
  #app!: ReturnType<typeof createServer>;
  #secret = "";
  #token = "";
  #grant: Grant | undefined;
  #grants = 0;
  #bytes = 0;

  constructor(random: Random, store: Store) {
    this.random = random;
    this.#store = store;
  }

  async fill(records: number): Promise<void> {
    for (const owner_id of OWNERS) {
      await createOwner(this.#store, { owner_id, connections: CONNECTIONS });
      for (const connection_id of CONNECTIONS) {
        this.#whole.putConnection(owner_id, connection_id);
        const batch = this.random.times(records, () => {
          const record = randomRecord(this.random, this.random.pick(STREAMS), undefined, EMITTED_AT);
          return this.#markers.mark(owner_id, connection_id, record);
        });
        this.#batches.push({ owner_id, connection_id, records: batch });
        this.#whole.ingest(owner_id, connection_id, batch, EMITTED_AT);
        await this.#store.ingest(owner_id, connection_id, batch);
      }
    }
    await this.#copyMasked();
    const rate = { burst: 1e9, per_second: 1e9 };
    this.#app = createServer({
      store: this.#store,
      sealer: await openSealer(this.#store),
      now: () => NOW,
      log: () => undefined,
      limits: { rate },
    });
    addMcp(this.#app, this.#store, { now: () => NOW });
  }

  /** A grant that nobody uses keeps the masked copies, which all grants share. */
  async #copyMasked(): Promise<void> {
    this.#secret = await this.#store.getSecret("masks", createToken);
    const streams = CONNECTIONS.flatMap((connection_id) =>
      STREAMS.map((stream) => ({ connection_id, stream, fields: ["id"], masks: MASKS[stream] })),
    );
    for (const owner_id of OWNERS) {
      await this.#store.putGrant(owner_id, toGrant("masked", EMITTED_AT, { owner_id, streams }, this.#whole));
      while ((await this.#store.copyMasked(owner_id)).state === "progress");
    }
  }

  /** Creates a random grant of one of the owners; the requests that follow are made under it. */
  async grant(): Promise<void> {
    const { random } = this;
    this.owner_id = random.pick(OWNERS);
    const scope = randomScope(random, this.#whole, this.owner_id);
    const masked = new Set(random.chance(0.4) ? random.some(STREAMS, 0.7) : []);
    const plain = scope.streams
      .filter(({ fields }) => fields.length > 0)
      .map(({ within: _, ...limits }) => this.#timed(limits));
    const rules = randomRules(random, this.#whole, { ...scope, streams: plain });
    const streams = plain.map((limits) => ({
      ...limits,
      ...(masked.has(limits.stream) ? { masks: MASKS[limits.stream] } : {}),
      within: listParentLimits(this.#whole, plain, rules, limits),
    }));
    this.scope = { ...scope, streams };
    this.oracle =
      masked.size === 0 ? this.#whole : new MaskedView(this.#whole, this.#batches, masked, this.#maskSecret);
    const grant_id = `grant_${this.#grants++}`;
    this.#token = createToken();
    this.#grant = toGrant(grant_id, EMITTED_AT, this.scope, this.#whole, randomBudget(random));
    this.#bytes = 0;
    await this.#store.putGrant(this.owner_id, this.#grant);
    await this.#exclude(toExclusions(rules, EMITTED_AT));
    await this.#store.putToken({
      digest: digestToken(this.#token),
      owner_id: this.owner_id,
      kind: "client",
      client_id: "agent",
      grant_ids: [grant_id],
      created_at: EMITTED_AT,
    });
  }

  /** Each owner's masks are different: the owners have the numbers 1 and 2. */
  get #maskSecret(): string {
    return `${this.#secret}\n${OWNERS.indexOf(this.owner_id) + 1}`;
  }

  /** Makes the owner's exclusions these. */
  async #exclude(exclusions: readonly Exclusion[]): Promise<void> {
    for (const { rule_id } of await this.#store.listExclusions(this.owner_id))
      await this.#store.deleteExclusion(this.owner_id, rule_id);
    for (const exclusion of exclusions) await this.#store.putExclusion(this.owner_id, exclusion);
    await finishRules(this.#store, this.owner_id);
  }

  /** A stream without a consent time has no time to limit. */
  #timed({ time, ...limits }: ReadScope["streams"][number]): ReadScope["streams"][number] {
    const isLimited = time?.since_ms !== undefined || time?.until_ms !== undefined;
    return isLimited && this.oracle.shapeOf(limits.stream).consent_time_field !== undefined
      ? { ...limits, time }
      : limits;
  }

  get isEmpty(): boolean {
    return this.scope.streams.length === 0;
  }

  async ask(path: string, query: Readonly<Record<string, string | number>>): Promise<Answer> {
    const parameters = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const answer = await this.#app.request(`${path}?${parameters}`, {
      headers: { Authorization: `Bearer ${this.#token}` },
    });
    const { text, isWhole } = await readUntilBroken(answer);
    assert.ok(answer.status < 500, `${path} ${text}`);
    this.#assertInside(text, `${path} ${JSON.stringify(query)}`);
    // A long record is streamed, so that its budget may end inside of it.
    if (!isWhole) return this.#assertSpent();
    const body = JSON.parse(text);
    if (body.error?.code === "budget_exhausted") await this.#assertSpent();
    if (answer.status === 200) this.#spend(body);
    return { status: answer.status, body };
  }

  /** The lines of a stream, such as an export. */
  async askLines(path: string): Promise<Json[]> {
    const answer = await this.#app.request(path, { headers: { Authorization: `Bearer ${this.#token}` } });
    const { text } = await readUntilBroken(answer);
    assert.equal(answer.status, 200, text);
    this.#assertInside(text, path);
    const lines = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
    this.#bytes = Number.NaN;
    if (lines.at(-1)?.error?.code === "budget_exhausted") await this.#assertSpent();
    return lines;
  }

  /** Every answer says what is left of the budget: nothing but what the client got counts. */
  #spend({ budget, ...body }: Json): void {
    const limit = this.#grant?.budget?.bytes;
    this.#bytes += Buffer.byteLength(JSON.stringify(body));
    if (limit === undefined || !budget || Number.isNaN(this.#bytes)) return;
    assert.equal(budget.bytes, limit - this.#bytes);
  }

  /** What was answered under the grant is within its budget. */
  async #assertSpent(): Promise<never> {
    const { grant_id = "", budget } = this.#grant ?? {};
    assert.ok(budget, "a grant without a budget was refused");
    const { records, bytes } = await this.#store.getUsage(this.owner_id, grant_id, EMITTED_AT.slice(0, 10));
    assert.ok(records <= (budget.records ?? Number.POSITIVE_INFINITY), `${records} records`);
    assert.ok(bytes <= (budget.bytes ?? Number.POSITIVE_INFINITY), `${bytes} bytes`);
    throw new BudgetSpent();
  }

  /** Calls a tool of `/mcp` under the current grant. */
  async askTool(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer> {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
    const answer = await this.#app.request("/mcp", {
      method: "POST",
      headers: {
        Authorization: `Bearer ${this.#token}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(call),
    });
    const text = await answer.text();
    const about = `${name} ${JSON.stringify(args)} ${text.slice(0, 500)}`;
    assert.equal(answer.status, 200, about);
    this.#assertInside(text, `${name} ${JSON.stringify(args)}`);
    const { result } = JSON.parse(/^data: (.*)$/m.exec(text.replaceAll(/[\u2028\u2029]/g, " "))?.[1] ?? "{}");
    assert.ok(result, about);
    const code = result._meta?.["dev.pdpp/error"]?.code;
    assert.equal(result.isError === true, code !== undefined, about);
    assert.notEqual(code, "internal_error", about);
    this.#bytes = Number.NaN;
    if (code === "budget_exhausted") await this.#assertSpent();
    return { code, structured: result.structuredContent };
  }

  /** Whatever was asked: no word of the answer is from outside the grant, or from a version that is gone. */
  #assertInside(text: string, asked: string): void {
    for (const { owner_id, ref, field, marker } of this.#markers.listIn(text)) {
      // A question may have the word in it, and an answer repeats its question.
      if (asked.includes(marker)) continue;
      const held = owner_id === this.owner_id ? this.oracle.find(this.owner_id, ref) : undefined;
      const isInside = held !== undefined && this.grantedOf(held).has(field);
      assert.ok(isInside, `${field} of ${owner_id} ${JSON.stringify(ref)} got out: ${asked}`);
      assert.ok(JSON.stringify(held.data[field]).includes(marker), `an old ${field} got out: ${asked}`);
    }
    for (const { ref, field, marker } of this.#markers.listSecretsIn(text)) {
      if (asked.includes(marker)) continue;
      const { masks } = this.scope.streams.find((one) => isOf(one, ref)) ?? {};
      assert.ok(!masks?.fields.includes(field), `${field} of ${JSON.stringify(ref)} is not masked: ${asked}`);
    }
  }

  /** A record of the grant's owner, or one that only another owner has. */
  anyRecord(): Held {
    const picked = this.random.pick(
      this.oracle.recordsOf(this.random.chance(0.85) ? this.owner_id : this.random.pick(OWNERS)),
    );
    return this.oracle.find(this.owner_id, picked.ref) ?? picked;
  }

  limitsOf(held: Held): ReadScope["streams"][number] | undefined {
    const mine = this.oracle.find(this.owner_id, held.ref);
    if (mine !== held) return undefined;
    return this.scope.streams.find(
      (limits) => isOf(limits, held.ref) && this.oracle.covers(this.owner_id, held, limits),
    );
  }

  grantedOf(held: Held): ReadonlySet<string> {
    return new Set(this.limitsOf(held)?.fields);
  }
}

function isOf(
  one: { readonly connection_id: string; readonly stream: string },
  ref: { readonly connection_id: string; readonly stream: string },
): boolean {
  return one.connection_id === ref.connection_id && one.stream === ref.stream;
}

/** The outcome of an answer that may break off: its last line then says why. */
async function readUntilBroken(answer: Response): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let isWhole = true;
  try {
    for await (const chunk of answer.body ?? []) chunks.push(chunk);
  } catch (error) {
    assert.match(String(error), /broke off/);
    isWhole = false;
  }
  return { text: Buffer.concat(chunks).toString(), isWhole };
}

/** Most grants have none; some have more than enough, some too little. */
function randomBudget(random: Random): GrantBudget | undefined {
  if (random.chance(0.6)) return undefined;
  const most = random.pick([1e12, 200_000, 20_000]);
  return { bytes: most, ...(random.chance(0.5) ? { records: random.pick([1e9, 60, 5]) } : {}) };
}
