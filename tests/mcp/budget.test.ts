/**
 * The token cost of a page for a model: ten hits, or twenty-five rows, of ordinary data; dense data stays within byte
 * limits.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { type Answer, ask, assertWithinBudget } from "../../testing/mcp/answers.ts";
import { connectApp } from "../../testing/mcp/connect.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";
import type { Json } from "../../testing/world.ts";

const LINE =
  "We met at the harbour on Friday and talked about the boat, the broken window upstairs and whether the children could come along next summer; I said that I would ask my sister first.";
const encoder = new Tiktoken(o200k);

/** Records by kind, each found by the kind's name. */
const BODIES: Readonly<Record<string, (at: number) => string>> = {
  lineword: (at) => `${LINE} That was lineword number ${at}.`,
  mailword: (at) => `${`${LINE}\n\n`.repeat(6 + at)} The mailword of letter ${at}. ${`${LINE} `.repeat(30)}`,
  gmailword: (at) =>
    `${`${LINE}\n\n`.repeat(6 + at)} The gmailword of letter ${at}. ${`${LINE} `.repeat(30)}`,
  hanword: (at) => `${"春のうららの隅田川のぼりくだりの船人が".repeat(60)} hanword ${at}`,
  emojiword: (at) => `${"👩‍👩‍👧‍👦🏳️‍🌈".repeat(90)} emojiword ${at}`,
  escapeword: (at) => `${'"\\\t\n'.repeat(300)} escapeword ${at}`,
};
const PER_KIND = 30;

/** The keys of a kind; real mail has Message-IDs. */
const KEYS: Readonly<Record<string, (at: number) => string>> = {
  gmailword: (at) => `CAF4aSZ8uM3Yw9Kf0nTq${at}xLJ7d2vB@mail.gmail.com~${(0x589971573038 + at).toString(16)}`,
};

describe("budget", () => {
  let served: ServedWorld;
  let client: McpClient;
  before(async () => {
    served = await serveWorld("sqlite");
    const { world } = served;
    const envelopes = Object.entries(BODIES).flatMap(([kind, body]) =>
      Array.from({ length: PER_KIND }, (_, at) => {
        const id = KEYS[kind]?.(at) ?? `${kind}-${at}`;
        const written_at = `2026-03-${String(at + 1).padStart(2, "0")}T09:30:00Z`;
        const data = {
          id,
          title: `Re: the boat and the window (${at})`,
          written_at,
          body: body(at),
          rating: at,
        };
        return { stream: "notes", key: id, emitted_at: "2026-05-01T00:00:00Z", data };
      }),
    );
    await world.store.ingest(world.owner_id, "home", envelopes);
    client = await connectApp(world.app, (await served.allowBoth()).token);
  });
  after(async () => {
    await client?.close();
    await served?.close();
  });

  test("R14 ten hits on short records take 2,500 tokens structured and 1,500 as text, and each is whole", async () => {
    const answer = await search("lineword");
    assertTokens(answer, { hits: 10, structured: 2_500, text: 1_500 });
    assert.doesNotMatch(answer.text, /read: /);
  });

  test("R14 ten hits on long mail take 2,500 tokens structured and 1,500 as text, each with its match and its call", async () => {
    const answer = await search("mailword");
    assertTokens(answer, { hits: 10, structured: 2_500, text: 1_500 });
    assertCallsAndMatches(answer, "mailword");
  });

  test("R14 ten hits under Message-IDs take 3,800 tokens structured and 2,400 as text: only their ids add to the cost", async () => {
    const answer = await search("gmailword");
    assertTokens(answer, { hits: 10, structured: 3_800, text: 2_400 });
    assertCallsAndMatches(answer, "gmailword");
    assert.deepEqual(answer.structured.left_out, ["record_id", "digest"]);
  });

  test("R15 R37 a page of few hits omits nothing", async () => {
    const { structured } = await ask(client, { operation: "search", args: { query: "gmailword", limit: 3 } });
    const { results, content_ladder, left_out } = structured as Json;
    assert.equal(left_out, undefined);
    assert.ok(results.every(({ id, record_id }: Json) => id.endsWith(`:${record_id}`)));
    assert.match(content_ladder.records[0].fields[0].digest, /^sha256:/);
  });

  for (const kind of ["hanword", "emojiword", "escapeword"]) {
    test(`R14 a page of dense text stays within byte limits and keeps its hits (${kind})`, async () => {
      const answer = await search(kind);
      assertWithinBudget(answer, kind);
      assert.equal((answer.structured.results as unknown[]).length, 10);
    });
  }

  for (const [kind, tokens] of [
    ["lineword", { structured: 4_500, text: 2_700 }],
    ["mailword", { structured: 4_500, text: 2_700 }],
    ["gmailword", { structured: 5_000, text: 2_700 }],
  ] as const) {
    test(`R35 query_records shows 25 rows within ${tokens.structured} tokens and the byte limits (${kind})`, async () => {
      const args = {
        stream: "notes",
        connection_id: "home",
        order_by: "id",
        order: "asc",
        filter: [`id>=${KEYS[kind]?.(0) ?? kind}`],
      };
      const rows = await ask(client, { operation: "query_records", args });
      assertTokens(rows, { hits: 25, ...tokens });
      assertWithinBudget(rows, kind);
    });
  }

  async function search(query: string): Promise<Answer> {
    return ask(client, { operation: "search", args: { query, folded: false } });
  }
});

function assertCallsAndMatches({ text, structured }: Answer, word: string): void {
  assert.equal(text.split("read: read_record_field(").length, 11);
  const { results, content_ladder } = structured as Json;
  for (const [at, { id, evidence_preview }] of results.entries()) {
    assert.match(evidence_preview, new RegExp(`⟦${word}⟧`));
    assert.equal(content_ladder.records[at].fields[0].next.args.id, id);
  }
}

interface Expected {
  readonly hits: number;
  readonly structured: number;
  readonly text: number;
}

function assertTokens({ text, structured }: Answer, expected: Expected): void {
  const tokens = { structured: countTokens(JSON.stringify(structured)), text: countTokens(text) };
  assert.equal((structured.results as unknown[]).length, expected.hits);
  for (const half of ["structured", "text"] as const)
    assert.ok(tokens[half] <= expected[half], `${half}: ${tokens[half]} tokens`);
}

function countTokens(text: string): number {
  return encoder.encode(text).length;
}
