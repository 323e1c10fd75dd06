/** Vectors from a service of the owner's choice, and how the stored ones follow the choice (R65). */
import assert from "node:assert/strict";
import { requireQuery } from "@rungs/evidence";
import { type EmbeddingService, startEmbeddingService } from "../../../../testing/embedding-service.ts";
import { type EngineTest, testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER, removal, scopeOver } from "../../../../testing/store/world.ts";
import { until } from "../../../../testing/until.ts";
import type { EmbeddingChoice, Store } from "../store.ts";

const CLINIC = "The physician will see you at the clinic on Tuesday.";
const TRAIN = "Our train to the coast leaves at noon.";

testOnEachEngine(
  "R65 a chosen service embeds in the background, and searches compare with it",
  async (test) => {
    const { store } = test;
    const service = await openWorld(test);
    await ingest(store, [message("a", { subject: "Visit", body: CLINIC }), message("b", { body: TRAIN })]);
    assert.deepEqual(await search(store), { hits: ["a"], meaning: undefined });

    await choose(store, service);
    assert.equal(service.received[0]?.path, "/v1/embeddings");
    assert.equal(service.received[0]?.model, "words");
    const { endpoint, record_count, embedded_count } = await store.describeEmbeddings(OWNER);
    assert.deepEqual([endpoint?.dimensions, record_count, embedded_count], [80, 2, 0]);
    assert.deepEqual(await search(store), { hits: [], meaning: { state: "partial", compared: 0, of: 2 } });

    assert.deepEqual(await store.embedNext(OWNER, "w", { limit: 1 }), { state: "progress", record_count: 1 });
    assert.deepEqual(await search(store), { hits: ["a"], meaning: { state: "partial", compared: 1, of: 2 } });
    assert.equal(await countModels(store), 2, "the old vectors stay until the new ones are complete");
    await embedAll(store);
    assert.equal(await countModels(store), 1);
    assert.deepEqual(await search(store), { hits: ["a"], meaning: undefined });
    const sent = service.received.flatMap(({ input }) => input);
    assert.ok(sent.includes(CLINIC) && sent.includes("hospital doctor"));

    await store.chooseEmbeddings(OWNER, { kind: "off" });
    assert.deepEqual(await search(store), { hits: [], meaning: undefined });
    assert.equal(await countModels(store), 0);
    await ingest(store, [message("c", { body: CLINIC })]);
    assert.deepEqual(await store.embedNext(OWNER, "w"), { state: "off" });

    await store.chooseEmbeddings(OWNER, { kind: "builtin" });
    await embedAll(store);
    assert.deepEqual((await search(store)).hits.sort(), ["a", "c"]);
    await ingest(store, [message("d", { body: CLINIC })]);
    assert.deepEqual(
      await search(store),
      { hits: ["d", "c", "a"].sort(), meaning: undefined },
      "written with its vectors",
    );
    assert.deepEqual(await store.check(OWNER), []);
  },
);

testOnEachEngine("R65 no text leaves loopback without the owner's consent to that host", async (test) => {
  const { store } = test;
  await openWorld(test);
  const refused: [Partial<Extract<EmbeddingChoice, { kind: "endpoint" }>>, string][] = [
    [{ url: "https://models.example/v1" }, "send_text_to"],
    [{ url: "https://models.example/v1", send_text_to: "other.example" }, "send_text_to"],
    [{ url: "http://127.0.0.1.models.example/v1" }, "send_text_to"],
    [{ url: "http://localhost.models.example/v1" }, "send_text_to"],
    [{ url: "http://192.168.0.7:11434" }, "send_text_to"],
    [{ url: "http://user:secret@127.0.0.1:1/v1" }, "url"],
    [{ url: "http://127.0.0.1:1/v1?key=secret" }, "url"],
    [{ url: "file:///etc/passwd" }, "url"],
    [{ url: "127.0.0.1:11434" }, "url"],
    [{ key_env: "sk-secret-key" }, "key_env"],
    [{ model: " " }, "model"],
  ];
  for (const [part, param] of refused) {
    const choice = { kind: "endpoint" as const, url: "http://127.0.0.1:1", model: "words", ...part };
    await assert.rejects(
      store.chooseEmbeddings(OWNER, choice),
      (error: { code?: string; details?: { param?: string }; message: string }) => {
        assert.deepEqual([error.code, error.details?.param], ["invalid_request", param]);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      },
    );
  }
  assert.equal((await store.describeEmbeddings(OWNER)).kind, "builtin");
});

testOnEachEngine("R65 a key comes from the environment and is stored nowhere", async (test) => {
  const { store } = test;
  const service = await openWorld(test);
  process.env.TEST_EMBEDDING_KEY = "sk-very-secret";
  test.context.after(() => delete process.env.TEST_EMBEDDING_KEY);
  await choose(store, service, { key_env: "TEST_EMBEDDING_KEY" });
  assert.equal(service.received[0]?.key, "sk-very-secret");
  const pages: string[] = [];
  await store.dump(async ({ rows }) => void pages.push(JSON.stringify(rows)));
  assert.doesNotMatch(pages.join(""), /sk-very-secret/);
  delete process.env.TEST_EMBEDDING_KEY;
  await assert.rejects(choose(store, service, { key_env: "TEST_EMBEDDING_KEY" }), /TEST_EMBEDDING_KEY/);
});

testOnEachEngine(
  "R65 a service that fails stops no import and no search, and work goes on where it ended",
  async (test) => {
    const { store } = test;
    const service = await openWorld(test);
    await choose(store, service);
    const other = await startEmbeddingService();
    test.context.after(() => other.close());
    service.location = `${other.url}/v1/embeddings`;
    let number = 0;
    for (const mode of [
      "status",
      "cut",
      "redirect",
      "not_json",
      "nan",
      "too_few",
      "other_dimensions",
    ] as const) {
      service.mode = mode;
      await ingest(store, [message(`k${number++}`, { body: `${CLINIC} ${mode}` })]);
      await assert.rejects(store.embedNext(OWNER, "w"), { code: "embeddings_unavailable" }, mode);
      if (mode !== "other_dimensions")
        await assert.rejects(choose(store, service), { code: "embeddings_unavailable" }, mode);
      const words = await store.search(scopeOver(), { query: requireQuery("clinic"), limit: 10 });
      assert.equal(words.hits.length, number, mode);
    }
    assert.match(
      (await store.describeEmbeddings(OWNER)).failure?.message ?? "",
      /79 dimensions instead of 80/,
    );
    assert.deepEqual(other.received, [], "redirects are not followed");
    service.mode = "answer";
    await embedAll(store);
    const { embedded_count, failure } = await store.describeEmbeddings(OWNER);
    assert.deepEqual([embedded_count, failure], [number, undefined]);
  },
);

testOnEachEngine("R65 search falls back to words while the service fails, and says so", async (test) => {
  const { store } = test;
  const service = await openWorld(test);
  await ingest(store, [message("a", { body: CLINIC })]);
  await choose(store, service);
  await embedAll(store);
  service.mode = "status";
  assert.deepEqual(await search(store), { hits: [], meaning: { state: "unavailable", compared: 0, of: 1 } });
  const asked = service.received.length;
  const { meaning, hits } = await store.search(scopeOver(), { query: requireQuery("clinic"), limit: 10 });
  assert.deepEqual([meaning?.state, hits.length], ["unavailable", 1]);
  assert.equal(service.received.length, asked, "a service that just failed is left alone");
});

testOnEachEngine("R65 a text that the service refuses is shortened, then skipped", async (test) => {
  const { store } = test;
  const service = await openWorld(test);
  await choose(store, service);
  service.status = 400;
  service.mode = (input) =>
    input.some((text) => (text.length > 40 && text.includes("clinic")) || text.includes("坏"))
      ? "status"
      : "answer";
  await ingest(store, [
    message("a", { body: CLINIC }),
    message("b", { body: "坏" }),
    message("c", { body: TRAIN }),
  ]);
  await embedAll(store);
  assert.equal((await store.describeEmbeddings(OWNER)).embedded_count, 3);
  assert.deepEqual((await search(store)).meaning, undefined);
});

testOnEachEngine(
  "R65 records that change or go while they are embedded keep no vectors behind",
  async (test) => {
    const { store } = test;
    const service = await openWorld(test);
    await ingest(store, [
      message("a", { body: CLINIC }),
      message("b", { body: CLINIC }),
      message("c", { body: TRAIN }),
    ]);
    await choose(store, service);
    service.mode = (input) => {
      if (input.includes(TRAIN))
        meanwhile = ingest(store, [removal("messages", "a"), message("b", { body: TRAIN })]);
      return "answer";
    };
    let meanwhile: Promise<unknown> | undefined;
    await store.embedNext(OWNER, "w");
    await meanwhile;
    service.mode = "answer";
    await embedAll(store);
    await store.tidy(OWNER);
    assert.deepEqual(await search(store), { hits: [], meaning: undefined });
    assert.deepEqual(await store.check(OWNER), []);
  },
);

testOnEachEngine("R65 one process embeds at a time; another takes over after a kill", async (test) => {
  const { store, place } = test;
  const service = await openWorld(test);
  await ingest(store, [message("a", { body: CLINIC }), message("b", { body: TRAIN })]);
  await choose(store, service);
  const later = await place.open({ now: () => new Date(Date.now() + 200_000) });
  test.context.after(() => later.close());
  service.mode = (input) => (input.includes(CLINIC) ? "hang" : "answer");
  const killed = assert.rejects(store.embedNext(OWNER, "killed", { limit: 1 }), {
    code: "embeddings_unavailable",
  });
  await until(() => service.received.some(({ input }) => input.includes(CLINIC)));
  assert.deepEqual(await store.embedNext(OWNER, "second", { limit: 1 }), { state: "busy" });
  service.mode = "answer";
  assert.deepEqual(await later.embedNext(OWNER, "second", { limit: 1 }), {
    state: "progress",
    record_count: 1,
  });
  await embedAll(later);
  await service.close();
  await killed;
  assert.equal((await store.describeEmbeddings(OWNER)).embedded_count, 2);
});

async function openWorld({ store, context }: EngineTest): Promise<EmbeddingService> {
  const service = await startEmbeddingService();
  context.after(() => service.close());
  await createOwner(store);
  return service;
}

function choose(store: Store, { url }: EmbeddingService, part: { key_env?: string } = {}): Promise<void> {
  return store.chooseEmbeddings(OWNER, { kind: "endpoint", url, model: "words", ...part });
}

async function search(store: Store) {
  const { hits, meaning } = await store.search(scopeOver(), {
    query: requireQuery("hospital doctor"),
    limit: 10,
  });
  return { hits: hits.map(({ record_id }) => record_id).sort(), meaning };
}

async function embedAll(store: Store): Promise<void> {
  for (let steps = 0; steps < 100; steps += 1)
    if ((await store.embedNext(OWNER, "w")).state === "complete") return;
  assert.fail("embedding does not end");
}

/** How many models have vectors in the database. */
async function countModels(store: Store): Promise<number> {
  const models = new Set<unknown>();
  await store.dump(async ({ table, rows }) => {
    if (table === "vectors") for (const row of rows) models.add(row[6]);
  });
  return models.size;
}
