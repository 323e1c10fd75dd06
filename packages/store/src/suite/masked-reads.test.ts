/** Under a scope that masks, the masked text is the text (R82): a store that was given the masked records answers the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  describeStream,
  type ReadScope,
  type RecordEnvelope,
  type StreamMasks,
  type StreamScope,
} from "@rungs/contract";
import { engines } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { readSize } from "../../../../testing/sizes.ts";
import { createManifest } from "../../../../testing/store/manifests.ts";
import { copyAll, grantWith } from "../../../../testing/store/masked-copies.ts";
import { Oracle } from "../../../../testing/store/oracle.ts";
import { randomRecord } from "../../../../testing/store/random-data.ts";
import { CONNECTIONS, randomScope, STREAMS } from "../../../../testing/store/random-questions.ts";
import { createOwner, message, OWNER, removal } from "../../../../testing/store/world.ts";
import { createStreamMasker } from "../masks/stream-masker.ts";
import type { Store } from "../store.ts";
import { answersOf, randomQuestions } from "./answers.ts";

const ROUNDS = readSize("RUNGS_MASKING_ROUNDS");
const SEED = Number(process.env.RUNGS_MASKING_SEED ?? 1);
const EMAIL = { kinds: ["email" as const], words: ["river", "東京"], expressions: ["qua[rt]+z"] };
const MASKS: Readonly<Record<string, StreamMasks>> = {
  messages: { ...EMAIL, fields: ["from", "subject", "body", "parts", "code", "payload", "raw"] },
  labels: { ...EMAIL, fields: ["name"] },
  events: { ...EMAIL, fields: ["detail"] },
  meters: { ...EMAIL, fields: ["place"] },
  files: { ...EMAIL, fields: ["name", "text"] },
  marks: { ...EMAIL, fields: ["text"] },
};

for (const create of Object.values(engines)) {
  test(`R82 reads under masks answer like a store of the masked records (${create.name})`, async () => {
    const places = [await create(), await create()];
    const stores = await Promise.all(
      places.map((place) => place.open({ now: () => new Date(1_767_225_600_000) })),
    );
    try {
      await compareWithMaskedStore(...(stores as [Store, Store]));
    } finally {
      for (const store of stores) await store.close();
      for (const place of places) await place.remove();
    }
  });
}

async function compareWithMaskedStore(store: Store, reference: Store): Promise<void> {
  const random = new Random(SEED);
  const oracle = new Oracle(createManifest());
  for (const each of [store, reference]) await createOwner(each, { connections: CONNECTIONS });
  for (const connection_id of CONNECTIONS) oracle.putConnection(OWNER, connection_id);
  const secret = await store.getSecret("masks", () => "secret");
  const maskers = Object.fromEntries(
    STREAMS.map((name) => {
      const stream = createManifest().streams.find((each) => each.name === name);
      assert.ok(stream);
      return [name, createStreamMasker(describeStream(stream), MASKS[name] as StreamMasks, `${secret}\n1`)];
    }),
  );
  const write = async () => {
    const connection_id = random.pick(CONNECTIONS);
    const held = oracle.recordsOf(OWNER).filter(({ ref }) => ref.connection_id === connection_id);
    const batch = random.times(random.pick([1, 2, 9]), () => randomEnvelope(random, held));
    const masked = batch.map((each) =>
      each.data ? { ...each, data: maskers[each.stream]?.maskData(each.data) as object } : each,
    ) as RecordEnvelope[];
    await store.ingest(OWNER, connection_id, batch);
    await reference.ingest(OWNER, connection_id, masked);
    oracle.ingest(OWNER, connection_id, masked, "2026-01-01T00:00:00.000Z");
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let writes = 0; writes < 4; writes += 1) await write();
    // Records of the first rounds are copied, while others are written; later ones follow as they are written.
    if (round === 3) await store.putGrant(OWNER, grantWith(MASKS));
    if (round === 4) for (let step = 0; step < 6; step += 1) await store.copyMasked(OWNER);
    if (round === 5) await copyAll(store);
    if (round < 5) continue;
    const plain = withoutConditions(randomScope(random, oracle, OWNER));
    const scope: ReadScope = {
      ...plain,
      streams: plain.streams.map((entry) => ({ ...entry, masks: MASKS[entry.stream] })),
    };
    const questions = randomQuestions(random, oracle, plain, [0]);
    const [answers, expected] = [
      await answersOf(store, scope, questions),
      await answersOf(reference, plain, questions),
    ].map((text) => text.replace(/"position": \d+/g, ""));
    const [lines, others] = [answers, expected].map((text) => String(text).split("\n"));
    const at = lines?.findIndex((line, number) => line !== others?.[number]) ?? -1;
    const place = [lines, others].map((each) => each?.slice(Math.max(0, at - 8), at + 4));
    assert.ok(
      answers === expected,
      `RUNGS_MASKING_SEED=${SEED}, round ${round}: ${JSON.stringify(place, null, 1)}`,
    );
  }
  assert.deepEqual(await store.check(OWNER), []);
}

/** Conditions compare what is masked (below); a store of masked records does not have it. */
function withoutConditions({ owner_id, streams }: ReadScope): ReadScope {
  return { owner_id, streams: streams.map(omitConditions) };
}

type Limits = Pick<StreamScope, "where" | "never" | "within">;

function omitConditions<Each extends Limits>(
  limits: Each,
): Omit<Each, keyof Limits> & Pick<Limits, "within"> {
  const { where: _, never: __, within = [], ...entry } = limits;
  return within.length === 0 ? entry : { ...entry, within: within.map(omitConditions) };
}

function randomEnvelope(random: Random, held: ReturnType<Oracle["recordsOf"]>): RecordEnvelope {
  const emitted_at = new Date(1_767_225_600_000 + random.int(0, 1000) * 1000).toISOString();
  const old = held.length > 0 && random.chance(0.5) ? random.pick(held) : undefined;
  if (old?.ref.stream !== "messages")
    return randomRecord(random, random.pick(STREAMS), undefined, emitted_at);
  if (random.chance(0.3)) return removal("messages", old.ref.record_id, emitted_at);
  // A new version of all fields: the oracle holds the masked values of the old one.
  const { data = {} } = randomRecord(random, "messages", undefined, emitted_at);
  return message(old.ref.record_id, { ...data, id: old.ref.record_id }, emitted_at);
}
