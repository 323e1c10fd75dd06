/** Folded pages over random threads of quoted replies: both engines against a naive oracle (R17, R67). */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReadScope, RecordEnvelope } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import type { SearchRequest, Store, StoredHit, StoredProof } from "@rungs/store";
import { openTestStore } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { createOwner, ingest, message, scopeOver } from "../../../../testing/store/world.ts";
import { readFoldedPage } from "./hits.ts";

const SEEDS = [1, 2];
const ALL = 200;
const SENTENCES = [
  "The lease of the harbour office ends in March, and the landlord wants an answer about both rooms upstairs.",
  "Nobody has asked the landlord about the boat house, its broken window and the two missing keys so far.",
  "Der Vermieter, the landlord, schreibt: Miete für März – 1 250 € – bitte überweisen, und zwar sofort!",
  "家主からの連絡 landlord 三月までに事務所の二階の部屋について返事をください。鍵も二本たりません。早めにお願いします。",
  // 108 compared characters after the match, then a difference; 124, then one that is too far away.
  ...[27, 31].flatMap((words) => ["one", "two"].map((end) => `The landlord ${"room ".repeat(words)}${end}.`)),
];
const QUESTIONS = ["the landlord wants keys", "landlord -boat"];

/** A message that says something, quotes others at some depth, or both. */
function randomBody(random: Random): string {
  const parts = random.times(1 + random.below(3), () => {
    const sentence = random.pick(SENTENCES);
    const written = random.chance(0.2) ? sentence.toUpperCase() : sentence;
    const depth = random.below(3);
    const width = random.pick([30, 60, 400]);
    const lines = written.match(new RegExp(`.{1,${width}}(?: |$)`, "gu")) ?? [written];
    return lines.map((line) => `${">".repeat(depth)}${depth > 0 ? " " : ""}${line}`).join("\n");
  });
  return [...(random.chance(0.5) ? [`Fine ${random.below(9)}.`] : []), ...parts].join(
    random.pick(["\n", "\n\n"]),
  );
}

function randomMessages(random: Random, prefix: string, count: number): RecordEnvelope[] {
  return Array.from({ length: count }, (_, at) => message(`${prefix}${at}`, { body: randomBody(random) }));
}

/**
 * The characters that two proofs are compared by: outwards from the match, as long as the quote depth equals that of
 * its line.
 */
function describeNaively({ text, text_start_chars, matches }: StoredProof): string | undefined {
  const chars = Array.from(text);
  const from = (matches[0]?.start_chars ?? text_start_chars) - text_start_chars;
  const to = (matches[0]?.end_chars ?? text_start_chars) - text_start_chars;
  const lines = text.split("\n");
  let line = 0;
  const lineOf = chars.map((char) => (char === "\n" ? line++ : line));
  const depthOf = (line: number) => (/^[\s>]*/u.exec(lines[line] ?? "")?.[0] ?? "").split(">").length;
  const own = depthOf(lineOf[from] ?? lines.length - 1);
  const ends = (at: number) =>
    lines[lineOf[at] as number]?.trim() !== "" && depthOf(lineOf[at] as number) !== own;
  const isKept = (char: string) => !/[\p{P}\p{Z}\p{C}>|]/u.test(char);
  const collect = (start: number, step: 1 | -1) => {
    const kept: string[] = [];
    for (let at = start; at >= 0 && at < chars.length && !ends(at) && kept.length < 120; at += step)
      if (isKept(chars[at] as string)) kept.push(chars[at] as string);
    return kept;
  };
  const shown = [
    ...collect(from - 1, -1).reverse(),
    ...chars.slice(from, to).filter(isKept),
    ...collect(to, 1),
  ];
  return shown.length < 40 ? undefined : shown.join("").toLowerCase();
}

const choose = ({ proofs }: StoredHit) => proofs.find(({ field_path }) => field_path === "body");

/**
 * The pages that naive folding of all hits yields: each head with what folds under it. A page is read in batches of
 * three times its limit; it ends after a batch that fills it, or after four.
 */
function foldNaively(hits: readonly StoredHit[], limit: number): string[][][] {
  const pages: string[][][] = [];
  let page: { text: string | undefined; ids: string[] }[] = [];
  let read = 0;
  const endPage = () => {
    pages.push(page.map(({ ids }) => ids));
    page = [];
    read = 0;
  };
  for (const hit of hits) {
    if (read > 0 && read % (3 * limit) === 0 && (page.length === limit || read === 12 * limit)) endPage();
    const proof = choose(hit);
    const text = proof && describeNaively(proof);
    const head = page.find((one) => text !== undefined && one.text === text);
    if (!head && page.length === limit) endPage();
    if (head) head.ids.push(hit.record_id);
    else page.push({ text, ids: [hit.record_id] });
    read += 1;
  }
  if (page.length > 0) endPage();
  return pages;
}

async function readPages(store: Store, scope: ReadScope, request: SearchRequest): Promise<string[][][]> {
  const pages: string[][][] = [];
  for (let after: SearchRequest["after"], isMore = true; isMore; ) {
    const page = await readFoldedPage(store, scope, { ...request, after }, choose);
    pages.push(page.folded.map(({ hit, similar }) => [hit, ...similar].map(({ record_id }) => record_id)));
    after = page.last?.position;
    isMore = page.has_more;
  }
  return pages;
}

test("R67 folded pages equal a naive oracle on both engines, and R17 hidden records move none of them", async () => {
  const stores = [await openTestStore("sqlite"), await openTestStore("postgres")];
  try {
    let folded = 0;
    for (const seed of SEEDS) {
      const random = new Random(seed);
      const owner_id = `owner-${seed}`;
      const shown = randomMessages(random, "m", 24);
      const hidden = randomMessages(random, "h", 8);
      const scope = scopeOver("messages", {}, owner_id);
      const asked = QUESTIONS.flatMap((q) => [2, 7].map((limit) => ({ query: requireQuery(q), limit })));
      const answers: string[][][][][] = [];
      for (const { store } of stores) {
        await createOwner(store, { owner_id, connections: ["mail", "other"] });
        await ingest(store, shown, { owner_id });
        const before: string[][][][] = [];
        for (const request of asked) {
          const { hits } = await store.search(scope, { ...request, limit: ALL });
          const pages = await readPages(store, scope, request);
          assert.deepEqual(pages, foldNaively(hits, request.limit), `seed ${seed}`);
          folded += hits.length - pages.flat().length;
          before.push(pages);
        }
        await ingest(store, hidden, { owner_id, connection_id: "other" });
        for (const [at, request] of asked.entries())
          assert.deepEqual(await readPages(store, scope, request), before[at], `seed ${seed}`);
        answers.push(before);
      }
      assert.deepEqual(answers[0], answers[1], `seed ${seed}`);
    }
    assert.ok(folded > 20, `${folded} hits folded`);
  } finally {
    for (const { close } of stores) await close();
  }
});
