/**
 * Random grants over the store suite's random data, asked over HTTP: the oracle knows what each may see. Every answer, to
 * whatever question, is also searched for words that stand outside the grant.
 */
import assert from "node:assert/strict";
import { parseTimeMs, type ReadScope } from "@rungs/contract";
import { formatFieldPath, identifyRecord, valueAt } from "@rungs/evidence";
import { createServer, createToken, digestToken, openSealer } from "@rungs/server";
import type { Store } from "@rungs/store";
import { addMcp } from "rungs/internal/mcp-endpoint";
import type { Random } from "../../testing/random.ts";
import { textOf } from "../../testing/store/compare.ts";
import { createManifest } from "../../testing/store/manifests.ts";
import { type Held, isCovered, Oracle } from "../../testing/store/oracle.ts";
import { listAll } from "../../testing/store/oracle-lists.ts";
import { searchAll } from "../../testing/store/oracle-search.ts";
import { readThread } from "../../testing/store/oracle-threads.ts";
import { randomRecord, randomTime } from "../../testing/store/random-data.ts";
import { CONNECTIONS, randomQuery, randomScope, STREAMS } from "../../testing/store/random-questions.ts";
import { createOwner } from "../../testing/store/world.ts";
import { toGrant } from "./grant-of-scope.ts";
import { Markers } from "./markers.ts";

const NOW = Date.UTC(2026, 5, 1);
const EMITTED_AT = new Date(NOW).toISOString();

// biome-ignore lint/suspicious/noExplicitAny: answers are compared with the oracle's.
export type Json = any;

interface Answer {
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

  /** Gives out a new random grant; what is asked from now on is asked under it. */
  async grant(): Promise<void> {
    const scope = randomScope(this.random, this.oracle, "me");
    const streams = scope.streams
      .filter(({ fields }) => fields.length > 0)
      .map((limits) => this.#timed(limits));
    this.scope = { ...scope, streams };
    const grant_id = `grant_${this.#grants++}`;
    this.#token = createToken();
    await this.#store.putGrant("me", toGrant(grant_id, EMITTED_AT, streams, this.oracle));
    await this.#store.putToken({
      digest: digestToken(this.#token),
      owner_id: "me",
      kind: "client",
      client_id: "agent",
      grant_ids: [grant_id],
      created_at: EMITTED_AT,
    });
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

  /** Each kind of question, to be asked under the grant at hand. */
  readonly questions: readonly (() => Promise<void>)[] = [
    () => this.#search(),
    () => this.#narrowedSearch(),
    () => this.#fetch(),
    () => this.#window(),
    () => this.#thread(),
    () => this.#list(),
    () => this.#count(),
    () => this.#streams(),
    () => this.#ambiguous(),
  ];

  async #search(): Promise<void> {
    const { q, query } = randomQuery(this.random, this.oracle, "me");
    const { hits: expected, count } = await searchAll(
      this.oracle,
      this.scope,
      query,
      { window: 100 },
      "relevance",
    );
    const { status, body } = await this.#ask("/v1/search", { q, limit: 50, folded: "false" });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.meta.count, count, q);
    const ids = expected.slice(0, 50).map(({ held }) => identifyRecord(held.ref).id);
    assert.deepEqual(
      body.data.map(({ id }: Json) => id),
      ids,
      q,
    );
    for (const hit of body.data) {
      const { held } = expected.find(({ held: each }) => identifyRecord(each.ref).id === hit.id) as {
        held: Held;
      };
      const around = readThread(this.oracle, this.scope, held.ref, { before: 0, after: 0 });
      assert.equal(hit.thread !== undefined, around?.visible, `${hit.id} in a thread`);
      for (const { field_path, preview, preview_start_chars, preview_end_chars } of hit.evidence) {
        const text = textOf(this.visible(held, field_path));
        assert.equal(preview, Array.from(text).slice(preview_start_chars, preview_end_chars).join(""));
      }
    }
  }

  /** Narrowed by time, a search finds what a grant with both limits would, in the streams whose time is granted. */
  async #narrowedSearch(): Promise<void> {
    const { q, query } = randomQuery(this.random, this.oracle, "me");
    const [since, until] = [randomTime(this.random), randomTime(this.random)]
      .map((time) => parseTimeMs(time) as number)
      .sort((a, b) => a - b) as [number, number];
    if (since === until) return;
    const streams = this.scope.streams
      .filter(({ stream, fields }) => fields.includes(this.oracle.shapeOf(stream).consent_time_field ?? ""))
      .map(({ time, ...limits }) => ({
        ...limits,
        time: {
          since_ms: Math.max(since, time?.since_ms ?? since),
          until_ms: Math.min(until, time?.until_ms ?? until),
        },
      }));
    const order = this.random.pick(["relevance", "newest"] as const);
    const { hits, count } = await searchAll(
      this.oracle,
      { ...this.scope, streams },
      query,
      { window: 100 },
      order,
    );
    const times = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
    const asked = { q, limit: 50, folded: "false", order, ...times };
    const { status, body } = await this.#ask("/v1/search", asked);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.meta.count, count, q);
    assert.deepEqual(
      body.data.map(({ id }: Json) => id),
      hits.slice(0, 50).map(({ held }) => identifyRecord(held.ref).id),
      q,
    );
  }

  async #fetch(): Promise<void> {
    const held = this.anyRecord();
    const { connection_id, stream, record_id } = held.ref;
    const path = `/v1/streams/${stream}/records/${encodeURIComponent(record_id)}`;
    const answer = await this.#ask(path, { connection_id });
    if (!this.limitsOf(held)) return this.#assertLikeNothing(answer, path, record_id, { connection_id });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const granted = this.grantedOf(held);
    const cut = new Set((answer.body.cuts ?? []).map(({ path: each }: Json) => each));
    for (const [name, value] of Object.entries(answer.body.data)) {
      assert.ok(granted.has(name), `${name} is not granted`);
      if (!cut.has(formatFieldPath([name]))) assert.deepEqual(value, held.data[name]);
    }
  }

  async #window(): Promise<void> {
    const held = this.anyRecord();
    const field = this.random.pick(Object.keys(held.data));
    const { connection_id, stream, record_id } = held.ref;
    const path = `/v1/streams/${stream}/records/${encodeURIComponent(record_id)}/field-window`;
    const asked = { connection_id, field_path: field, limit_chars: 16 };
    const answer = await this.#ask(path, asked);
    if (!this.limitsOf(held)) return this.#assertLikeNothing(answer, path, record_id, asked);
    if (!this.grantedOf(held).has(field)) {
      assert.equal(answer.status, 403);
      const unknown = await this.#ask(path, { ...asked, field_path: "no_such_field" });
      return assertSameRefusal(answer, unknown, "no_such_field", field);
    }
    if (answer.status !== 200) return;
    const text = textOf(held.data[field]);
    assert.ok(text.startsWith(answer.body.window.text), `${field} of ${record_id}`);
  }

  async #thread(): Promise<void> {
    const held = this.anyRecord();
    const { connection_id, stream, record_id } = held.ref;
    const path = `/v1/streams/${stream}/records/${encodeURIComponent(record_id)}/thread`;
    const reach = { before: this.random.int(0, 4), after: this.random.int(0, 4) };
    const answer = await this.#ask(path, { connection_id, ...reach });
    if (!this.limitsOf(held)) return this.#assertLikeNothing(answer, path, record_id, { connection_id });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const wanted = readThread(this.oracle, this.scope, held.ref, reach);
    const around = [...(wanted?.before ?? []), held, ...(wanted?.after ?? [])];
    const { data, in_thread, has_before, has_after, anchor } = answer.body;
    assert.deepEqual(
      data.map(({ id }: Json) => id),
      around.map(({ ref }) => ref.record_id),
    );
    assert.deepEqual(
      { visible: in_thread, has_before, has_after },
      { visible: wanted?.visible, has_before: wanted?.has_before, has_after: wanted?.has_after },
    );
    assert.equal(anchor, identifyRecord(held.ref).id);
    const granted = this.grantedOf(held);
    for (const { data: shown } of data)
      assert.deepEqual(
        Object.keys(shown).filter((name) => !granted.has(name)),
        [],
      );
  }

  async #list(): Promise<void> {
    const [connection_id, stream] = [this.random.pick(CONNECTIONS), this.random.pick(STREAMS)];
    const answer = await this.#ask(`/v1/streams/${stream}/records`, {
      connection_id,
      limit: 100,
      order: "asc",
    });
    if (!this.scope.streams.some((each) => each.connection_id === connection_id && each.stream === stream)) {
      assert.equal(answer.status, 403);
      return assert.equal(answer.body.error.code, "grant_stream_not_allowed");
    }
    const expected = listAll(this.oracle, this.scope, { connection_id, stream, order: "asc", limit: 100 });
    assert.deepEqual(
      answer.body.data.map(({ id }: Json) => id),
      expected.slice(0, 100).map(({ ref }) => ref.record_id),
    );
  }

  async #count(): Promise<void> {
    const { connection_id, stream } = this.random.pick(this.scope.streams);
    const { body } = await this.#ask(`/v1/streams/${stream}/aggregate`, { connection_id, metric: "count" });
    const covered = this.oracle.coverOne(this.scope, { connection_id, stream });
    assert.equal(body.groups[0].value, covered?.records.length);
  }

  async #streams(): Promise<void> {
    const { body } = await this.#ask("/v1/streams", {});
    const counts = this.oracle.describeStreams(this.scope);
    const total = counts.reduce((sum, each) => sum + each.record_count, 0);
    assert.equal(
      body.data.reduce((sum: number, { record_count }: Json) => sum + record_count, 0),
      total,
    );
  }

  /** An id without its connection: found in one, in several, or nowhere. */
  async #ambiguous(): Promise<void> {
    const { stream, record_id } = this.anyRecord().ref;
    const found = this.oracle.locate(this.scope, stream, record_id);
    const { status, body } = await this.#ask(
      `/v1/streams/${stream}/records/${encodeURIComponent(record_id)}`,
      {},
    );
    if (found.length === 1) assert.equal(body.connection_id, found[0]);
    else if (found.length > 1) {
      assert.equal(status, 409);
      assert.deepEqual(
        body.error.available_connections.map((each: Json) => each.connection_id).sort(),
        found,
      );
    } else assert.ok(status === 404 || status === 403 || status === 409, String(status));
  }

  async #ask(path: string, query: Readonly<Record<string, string | number>>): Promise<Answer> {
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

  /** Calls a tool of `/mcp` under the grant at hand. */
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

  /** What is outside the grant is answered as what never was. */
  async #assertLikeNothing(
    answer: Answer,
    path: string,
    record_id: string,
    query: Readonly<Record<string, string | number>>,
  ): Promise<void> {
    const nowhere = path.replace(encodeURIComponent(record_id), "never-was");
    const other = await this.#ask(nowhere, query);
    assert.ok(answer.status >= 400, `${path} was answered`);
    assertSameRefusal(answer, other, "never-was", record_id);
  }

  /** A record of the grant's owner, or one that only another owner has. */
  anyRecord(): Held {
    const picked = this.random.pick(this.oracle.recordsOf(this.random.chance(0.85) ? "me" : "you"));
    return this.oracle.find("me", picked.ref) ?? picked;
  }

  limitsOf(held: Held): ReadScope["streams"][number] | undefined {
    const mine = this.oracle.find("me", held.ref);
    return mine === held ? this.scope.streams.find((limits) => isCovered(held, limits)) : undefined;
  }

  grantedOf(held: Held): ReadonlySet<string> {
    return new Set(this.limitsOf(held)?.fields);
  }

  visible(held: Held, field_path: string): unknown {
    const path = field_path.split(/[.[]/)[0] as string;
    assert.ok(this.grantedOf(held).has(path), `${field_path} is not granted`);
    return valueAt(
      held.data,
      field_path.match(/[^.[\]]+/g)?.map((part) => (/^\d+$/.test(part) ? Number(part) : part)) ?? [],
    );
  }
}

/** The same refusal, but for the request's id; `other` was asked for with the name `placeholder` in place of `name`. */
function assertSameRefusal(answer: Answer, other: Answer, placeholder: string, name: string): void {
  const refusal = (body: Json) => ({ ...body.error, request_id: "" });
  const renamed = JSON.parse(JSON.stringify(refusal(other.body)), (_key, value) =>
    typeof value === "string" ? value.replaceAll(placeholder, name) : value,
  );
  assert.equal(answer.status, other.status);
  assert.deepEqual(refusal(answer.body), renamed);
}
