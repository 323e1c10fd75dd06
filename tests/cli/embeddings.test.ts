/** `rungs embeddings`: choosing a service, where text goes, and what answers say in the meantime (R65). */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ensureOwner, keepEmbedding } from "@rungs/server";
import { openSqlite } from "@rungs/store/sqlite";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createNotesHome, type NotesHome } from "../../testing/cli/notes-home.ts";
import { type EmbeddingService, startEmbeddingService } from "../../testing/embedding-service.ts";
import { until } from "../../testing/until.ts";

let home: NotesHome;
let service: EmbeddingService;
before(async () => {
  home = await createNotesHome();
  service = await startEmbeddingService();
});
after(async () => {
  await service?.close();
  home?.remove();
});

const rungs = (...argv: string[]) => rungsHere(argv, home.env);
const use = (...argv: string[]) => rungs("embeddings", "use", service.url, "--model", "words", ...argv);

test("R65 a service beyond loopback is refused until the owner names its host as the recipient of text", async () => {
  const refused = await rungs("embeddings", "use", "https://models.example/v1", "--model", "m");
  assert.equal(refused.code, 1);
  assert.match(refused.err, /models\.example is not this machine.*titles and bodies of all your records/s);
  assert.match(refused.err, /--send-text-to models\.example/);
  assert.match(
    (await rungs("embeddings", "show")).out,
    /^Built-in vectors .* No text leaves this machine\.\n/,
  );
  assert.equal((await rungs("embeddings", "use", service.url)).code, 2);
});

test("R65 a loopback service is tried out, embeds in the foreground, and answers say how much it compared", async () => {
  const chosen = await use();
  assert.match(chosen.out, /words at http:\/\/127\.0\.0\.1:\d+\/v1\/embeddings, 80 dimensions\./);
  assert.match(chosen.out, /0 of \d+ records are embedded\.\nrungs serve embeds the others/);
  const partial = await rungs("search", "hospital doctor");
  assert.match(partial.out, /Meaning was compared for 0 of \d+ records; of the others, only words\./);
  const json = JSON.parse((await rungs("search", "hospital doctor", "--json")).out);
  assert.equal(json.meta.meaning.state, "partial");
  const built = await rungs("embeddings", "build");
  const [, embedded, all] = /(\d+) of (\d+) records are embedded\./.exec(built.out) ?? [];
  assert.equal(embedded, all);
  assert.doesNotMatch((await rungs("search", "hospital doctor")).out, /Meaning was/);
});

test("R65 a service that fails shows in the search, in show, and as an error when it is chosen", async () => {
  service.mode = "status";
  const search = await rungs("search", "train clinic");
  assert.equal(search.code, 0);
  assert.match(search.out, /Only words were compared: the embedding service did not answer\./);
  const again = await use();
  assert.equal(again.code, 1);
  assert.match(again.err, /The embedding service answers with status 500\./);
  service.mode = "answer";
});

test("R65 the background worker embeds what is written, and stops at once", async () => {
  const store = await openSqlite(join(home.env.RUNGS_HOME!, "rungs.db"));
  try {
    const owner = { store, owner_id: await ensureOwner(store), now: Date.now };
    await store.chooseEmbeddings(owner.owner_id, { kind: "builtin" });
    const end = new AbortController();
    const work = keepEmbedding(owner, end.signal);
    const isDone = async () => {
      const { record_count, embedded_count } = await store.describeEmbeddings(owner.owner_id);
      return record_count > 0 && record_count === embedded_count;
    };
    await until(isDone);
    service.mode = "hang";
    await store.chooseEmbeddings(owner.owner_id, { kind: "off" });
    end.abort();
    await work;
  } finally {
    service.mode = "answer";
    await store.close();
  }
  assert.match((await rungs("embeddings", "off")).out, /searches use words alone/);
});
