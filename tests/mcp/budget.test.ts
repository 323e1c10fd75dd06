/** What a page costs a model, in tokens: ten hits, or twenty-five rows, of ordinary data; dense data stays within bytes. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { type Answer, ask, assertWithinBudget } from "../../testing/mcp/answers.ts";
import { connectApp } from "../../testing/mcp/connect.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";

const LINE =
  "We met at the harbour on Friday and talked about the boat, the broken window upstairs and whether the children could come along next summer; I said that I would ask my sister first.";
const encoder = new Tiktoken(o200k);

/** Records by kind, each found by the kind's name. */
const BODIES: Readonly<Record<string, (at: number) => string>> = {
  lineword: (at) => `${LINE} That was lineword number ${at}.`,
  mailword: (at) => `${`${LINE}\n\n`.repeat(6)} The mailword of letter ${at}. ${`${LINE} `.repeat(3)}`,
  hanword: (at) => `${"春のうららの隅田川のぼりくだりの船人が".repeat(60)} hanword ${at}`,
  emojiword: (at) => `${"👩‍👩‍👧‍👦🏳️‍🌈".repeat(90)} emojiword ${at}`,
  escapeword: (at) => `${'"\\\t\n'.repeat(300)} escapeword ${at}`,
};
const PER_KIND = 30;

describe("budget", () => {
  let served: ServedWorld;
  let client: McpClient;
  before(async () => {
    served = await serveWorld("sqlite");
    const { world } = served;
    const envelopes = Object.entries(BODIES).flatMap(([kind, body]) =>
      Array.from({ length: PER_KIND }, (_, at) => ({
        stream: "notes",
        key: `${kind}-${at}`,
        emitted_at: "2026-05-01T00:00:00Z",
        data: { id: `${kind}-${at}`, title: `Note ${at}`, body: body(at), rating: at },
      })),
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

  test("R14 ten hits on long mail take 3,000 tokens structured and 1,500 as text, each with its match and its call", async () => {
    const answer = await search("mailword");
    assertTokens(answer, { hits: 10, structured: 3_000, text: 1_500 });
    assert.equal(answer.text.split("read: read_record_field(").length, 11);
    for (const { evidence_preview } of answer.structured.results as { evidence_preview: string }[])
      assert.match(evidence_preview, /⟦mailword⟧/);
  });

  for (const kind of ["hanword", "emojiword", "escapeword"]) {
    test(`R14 a page of dense text stays within bytes and keeps its hits (${kind})`, async () => {
      const answer = await search(kind);
      assertWithinBudget(answer, kind);
      assert.equal((answer.structured.results as unknown[]).length, 10);
    });
  }

  test("R35 query_records shows 25 rows of ordinary records in 4,500 tokens structured and 2,500 as text", async () => {
    const args = {
      stream: "notes",
      connection_id: "home",
      filter: ["rating>=0"],
      fields: ["title", "rating"],
    };
    const rows = await ask(client, { operation: "query_records", args });
    assertTokens(rows, { hits: 25, structured: 4_500, text: 2_500 });
    assertWithinBudget(rows, "rows");
  });

  async function search(query: string): Promise<Answer> {
    return ask(client, { operation: "search", args: { query, folded: false } });
  }
});

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
