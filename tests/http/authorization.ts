/**
 * Random grants over the store suite's random data, read over HTTP: the oracle knows what each may see. Every answer is also
 * searched for words from outside the grant.
 */
import assert from "node:assert/strict";
import { createServer, openSealer } from "@rungs/server";
import { addMcp } from "rungs/internal/mcp-endpoint";
import { connectApp } from "../../testing/mcp/connect.ts";
import { AuthorizationData, EMITTED_AT, isOf, NOW } from "./authorization-data.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers are compared with the oracle's.
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** A tool's answer: its structured content, or the code of its refusal. */
export interface ToolAnswer {
  readonly code: string | undefined;
  readonly structured: Json;
}

/** The grant's budget is exhausted: it gets no further answers. */
export class BudgetSpent extends Error {}

/** A server over two owners' random records, and the oracle that holds the same. */
export class AuthorizationWorld extends AuthorizationData {
  #app!: ReturnType<typeof createServer>;
  #bytes = 0;

  override async fill(records: number): Promise<void> {
    await super.fill(records);
    const rate = { burst: 1e9, per_second: 1e9 };
    const share = { requests: 1e3, streams: 1e3, watches: 1e3, waiting: 1e3 };
    this.#app = createServer({
      store: this.store,
      sealer: await openSealer(this.store),
      now: () => NOW,
      log: () => undefined,
      limits: { rate, share, watch_ms: 1 },
    });
    addMcp(this.#app, this.store, { now: () => NOW });
  }

  override async grant(): Promise<void> {
    await super.grant();
    this.#bytes = 0;
  }

  /** The lines of a watch until it is idle, or reports a change. */
  async askWatch(path: string, query: Readonly<Record<string, string>>): Promise<Json[]> {
    const asked = `${path}?${new URLSearchParams(query)}`;
    const end = new AbortController();
    const answer = await this.#app.request(asked, {
      headers: { Authorization: `Bearer ${this.token}` },
      signal: end.signal,
    });
    const isQuiet = (so_far: string) => answer.status === 200 && /\n\n+(?:\n|\{.*\n)/.test(so_far);
    const { text, isWhole } = await readUntilBroken(answer, isQuiet);
    end.abort();
    if (!isWhole) await this.#assertSpent();
    const lines = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
    if (lines.some(({ error }) => error?.code === "budget_exhausted")) await this.#assertSpent();
    assert.equal(answer.status, 200, text);
    this.#assertInside(text, asked);
    this.#bytes = Number.NaN;
    return lines;
  }

  /** The streams that a host may listen to, out of those that it names. */
  async listen(uris: string[]): Promise<string[]> {
    const client = await connectApp(this.#app, this.token);
    const listening = await client.listen({ resourceSubscriptions: uris });
    await listening.close();
    await client.close();
    return listening.honoredFilter.resourceSubscriptions ?? [];
  }

  async ask(path: string, query: Readonly<Record<string, string | number>>): Promise<Answer> {
    const parameters = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const answer = await this.#app.request(`${path}?${parameters}`, {
      headers: { Authorization: `Bearer ${this.token}` },
    });
    const { text, isWhole } = await readUntilBroken(answer);
    assert.ok(answer.status < 500, `${path} ${text}`);
    this.#assertInside(text, `${path} ${JSON.stringify(query)}`);
    // A long record is streamed, so the budget may run out in the middle of it.
    if (!isWhole) return this.#assertSpent();
    const body = JSON.parse(text);
    if (body.error?.code === "budget_exhausted") await this.#assertSpent();
    if (answer.status === 200) this.#spend(body);
    return { status: answer.status, body };
  }

  /** The lines of a stream, such as an export. */
  async askLines(path: string): Promise<Json[]> {
    const answer = await this.#app.request(path, { headers: { Authorization: `Bearer ${this.token}` } });
    const { text } = await readUntilBroken(answer);
    this.#assertInside(text, path);
    // With nothing left, it is refused before it starts.
    if (answer.status === 429 && JSON.parse(text).error.code === "budget_exhausted")
      await this.#assertSpent();
    assert.equal(answer.status, 200, text);
    const lines = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
    this.#bytes = Number.NaN;
    if (lines.at(-1)?.error?.code === "budget_exhausted") await this.#assertSpent();
    return lines;
  }

  /** Every answer says what is left of the budget: only what the client received counts. */
  #spend({ budget, ...body }: Json): void {
    const limit = this.current?.budget?.bytes;
    this.#bytes += Buffer.byteLength(JSON.stringify(body));
    if (limit === undefined || !budget || Number.isNaN(this.#bytes)) return;
    assert.equal(budget.bytes, limit - this.#bytes);
  }

  /** All answers under the grant stay within its budget. */
  async #assertSpent(): Promise<never> {
    const { grant_id = "", budget } = this.current ?? {};
    assert.ok(budget, "a grant without a budget was refused");
    const { records, bytes } = await this.store.getUsage(this.owner_id, grant_id, EMITTED_AT.slice(0, 10));
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
        Authorization: `Bearer ${this.token}`,
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

  /** Whatever the request, no word of the answer comes from outside the grant or from a former version. */
  #assertInside(text: string, asked: string): void {
    for (const { owner_id, ref, field, marker } of this.markers.listIn(text)) {
      // A request may contain the word, and an answer repeats its request.
      if (asked.includes(marker)) continue;
      const held = owner_id === this.owner_id ? this.oracle.find(this.owner_id, ref) : undefined;
      const isInside = held !== undefined && this.grantedOf(held).has(field);
      assert.ok(isInside, `${field} of ${owner_id} ${JSON.stringify(ref)} got out: ${asked}`);
      assert.ok(JSON.stringify(held.data[field]).includes(marker), `an old ${field} got out: ${asked}`);
    }
    for (const { ref, field, marker } of this.markers.listSecretsIn(text)) {
      if (asked.includes(marker)) continue;
      const { masks } = this.scope.streams.find((one) => isOf(one, ref)) ?? {};
      assert.ok(!masks?.fields.includes(field), `${field} of ${JSON.stringify(ref)} is not masked: ${asked}`);
    }
  }
}

/** The outcome of an answer that may be cut off: its last line then says why. */
async function readUntilBroken(
  answer: Response,
  isEnough: (text: string) => boolean = () => false,
): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let isWhole = true;
  try {
    for await (const chunk of answer.body ?? []) {
      chunks.push(chunk);
      if (isEnough(Buffer.concat(chunks).toString())) break;
    }
  } catch (error) {
    assert.match(String(error), /broke off/);
    isWhole = false;
  }
  return { text: Buffer.concat(chunks).toString(), isWhole };
}
