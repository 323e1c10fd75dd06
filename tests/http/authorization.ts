/**
 * Random grants over the store suite's random data, read over HTTP: the oracle knows what each may see. Every answer is also
 * searched for words from outside the grant.
 */
import assert from "node:assert/strict";
import type { Exclusion, ReadScope } from "@rungs/contract";
import { createServer, createToken, digestToken, openSealer } from "@rungs/server";
import type { Store } from "@rungs/store";
import { addMcp } from "rungs/internal/mcp-endpoint";
import type { Random } from "../../testing/random.ts";
import { createManifest } from "../../testing/store/manifests.ts";
import { type Held, isCovered, Oracle } from "../../testing/store/oracle.ts";
import { randomRecord } from "../../testing/store/random-data.ts";
import { CONNECTIONS, randomScope, STREAMS } from "../../testing/store/random-questions.ts";
import { createOwner } from "../../testing/store/world.ts";
import { toGrant } from "./grant-of-scope.ts";
import { Markers } from "./markers.ts";

const NOW = Date.UTC(2026, 5, 1);
const EMITTED_AT = new Date(NOW).toISOString();

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

/** A server over two owners' random records, and the oracle that holds the same. */
export class AuthorizationWorld {
  readonly oracle = new Oracle(createManifest());
  readonly random: Random;
  scope!: ReadScope;
  readonly #markers = new Markers();
  readonly #store: Store;
  #app!: ReturnType<typeof createServer>;
  #token = "";
  #grants = 0;

  constructor(random: Random, store: Store) {
    this.random = random;
    this.#store = store;
  }

  async fill(records: number): Promise<void> {
    for (const owner_id of ["me", "you"]) {
      await createOwner(this.#store, { owner_id, connections: CONNECTIONS });
      for (const connection_id of CONNECTIONS) {
        this.oracle.putConnection(owner_id, connection_id);
        const batch = this.random.times(records, () => {
          const record = randomRecord(this.random, this.random.pick(STREAMS), undefined, EMITTED_AT);
          return this.#markers.mark(owner_id, connection_id, record);
        });
        this.oracle.ingest(owner_id, connection_id, batch, EMITTED_AT);
        await this.#store.ingest(owner_id, connection_id, batch);
      }
    }
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

  /** Creates a random grant; the requests that follow are made under it. */
  async grant(): Promise<void> {
    const scope = randomScope(this.random, this.oracle, "me");
    const streams = scope.streams
      .filter(({ fields }) => fields.length > 0)
      .map((limits) => this.#timed(limits));
    this.scope = { ...scope, streams };
    const grant_id = `grant_${this.#grants++}`;
    this.#token = createToken();
    await this.#store.putGrant("me", toGrant(grant_id, EMITTED_AT, streams, this.oracle));
    await this.#exclude(streams);
    await this.#store.putToken({
      digest: digestToken(this.#token),
      owner_id: "me",
      kind: "client",
      client_id: "agent",
      grant_ids: [grant_id],
      created_at: EMITTED_AT,
    });
  }

  /** Makes the exclusions of the scope's streams those of the owner. */
  async #exclude(streams: ReadScope["streams"]): Promise<void> {
    for (const { rule_id } of await this.#store.listExclusions("me"))
      await this.#store.deleteExclusion("me", rule_id);
    const hidden = streams.flatMap(({ connection_id, stream, never }): Exclusion["hides"][] => [
      ...(never?.conditions ?? []).map((condition) => ({
        kind: "value" as const,
        condition,
        connection_id,
        stream,
      })),
      ...(never?.record_ids ?? []).map((record_id) => ({
        kind: "record" as const,
        connection_id,
        stream,
        record_id,
      })),
    ]);
    for (const [at, hides] of hidden.entries())
      await this.#store.putExclusion("me", { rule_id: `rule_${at}`, created_at: EMITTED_AT, hides });
  }

  /** A stream without a consent time has no time to limit. */
  #timed({ time, ...limits }: ReadScope["streams"][number]): ReadScope["streams"][number] {
    return time && this.oracle.shapeOf(limits.stream).consent_time_field !== undefined
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
    const text = await answer.text();
    assert.ok(answer.status < 500, `${path} ${text}`);
    this.#assertInside(text, `${path} ${JSON.stringify(query)}`);
    return { status: answer.status, body: JSON.parse(text) };
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
    return { code, structured: result.structuredContent };
  }

  /** Whatever was asked: no word of the answer is from outside the grant, or from a version that is gone. */
  #assertInside(text: string, asked: string): void {
    for (const { owner_id, ref, field, marker } of this.#markers.listIn(text)) {
      // A question may have the word in it, and an answer repeats its question.
      if (asked.includes(marker)) continue;
      const held = owner_id === "me" ? this.oracle.find("me", ref) : undefined;
      const isInside = held !== undefined && this.grantedOf(held).has(field);
      assert.ok(isInside, `${field} of ${owner_id} ${JSON.stringify(ref)} got out: ${asked}`);
      assert.ok(JSON.stringify(held.data[field]).includes(marker), `an old ${field} got out: ${asked}`);
    }
  }

  /** A record of the grant's owner, or one that only another owner has. */
  anyRecord(): Held {
    const picked = this.random.pick(this.oracle.recordsOf(this.random.chance(0.85) ? "me" : "you"));
    return this.oracle.find("me", picked.ref) ?? picked;
  }

  limitsOf(held: Held): ReadScope["streams"][number] | undefined {
    const mine = this.oracle.find("me", held.ref);
    if (mine !== held) return undefined;
    const shape = this.oracle.shapeOf(held.ref.stream);
    return this.scope.streams.find((limits) => isCovered(held, limits, shape));
  }

  grantedOf(held: Held): ReadonlySet<string> {
    return new Set(this.limitsOf(held)?.fields);
  }
}
