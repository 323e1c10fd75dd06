/**
 * Sends the same writes and reads to the store on both engines and to the oracle. The engines must give equal answers, down
 * to the last bit of a score; the oracle must agree.
 */
import assert from "node:assert/strict";
import type { RecordEnvelope } from "@rungs/contract";
import type { Random } from "../../../../testing/random.ts";
import { askBoth } from "../../../../testing/store/compare.ts";
import type { Held, Oracle } from "../../../../testing/store/oracle.ts";
import { randomRecord } from "../../../../testing/store/random-data.ts";
import { CONNECTIONS, STREAMS } from "../../../../testing/store/random-questions.ts";
import { removal } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";
import { staticEmbedder } from "../vectors/word-vectors.ts";
import { ChangeSessions } from "./change-sessions.ts";
import { ReadComparisons } from "./read-comparisons.ts";

/** The clock of both stores. */
export interface Clock {
  now: Date;
}

const { words: _words, ...embedder } = staticEmbedder;

/** Options of stores whose records wait for their vectors. */
export const inBackground = { embedder: { ...embedder, id: "background" } };

export class Differential {
  readonly random: Random;
  readonly oracle: Oracle;
  readonly owners: readonly string[];
  readonly #stores: readonly [Store, Store];
  readonly #clock: Clock;
  readonly #sessions: ChangeSessions;
  readonly #reads: ReadComparisons;

  constructor(
    random: Random,
    oracle: Oracle,
    owners: readonly string[],
    stores: readonly [Store, Store],
    clock: Clock,
  ) {
    this.random = random;
    this.oracle = oracle;
    this.owners = owners;
    this.#stores = stores;
    this.#clock = clock;
    this.#sessions = new ChangeSessions(random, oracle, stores);
    this.#reads = new ReadComparisons(random, oracle, owners, stores);
  }

  /** Each kind of step with its frequency. */
  readonly steps: Readonly<Record<string, { readonly weight: number; run(): Promise<void> }>> = {
    write: { weight: 15, run: () => this.write(this.random.pick(this.owners)) },
    merge: { weight: 1, run: () => this.#merge() },
    forget: { weight: 0.2, run: () => this.#forget() },
    search: { weight: 20, run: () => this.#reads.search() },
    window: { weight: 14, run: () => this.#reads.window() },
    find: { weight: 14, run: () => this.#reads.find() },
    list: { weight: 12, run: () => this.#reads.list() },
    changes: { weight: 8, run: () => this.#changes() },
    aggregate: { weight: 10, run: () => this.#reads.aggregate() },
    describe: { weight: 3, run: () => this.#reads.describe() },
    get: { weight: 7, run: () => this.#reads.get() },
    thread: { weight: 9, run: () => this.#reads.thread() },
    embed: { weight: 6, run: () => this.embed(this.random.pick(this.owners)) },
    check: { weight: 0.5, run: () => this.#check() },
  };

  /** A random kind of step, by frequency. */
  pickStep(): string {
    const kinds = Object.entries(this.steps);
    let place = this.random.next() * kinds.reduce((sum, [, { weight }]) => sum + weight, 0);
    for (const [kind, { weight }] of kinds) {
      place -= weight;
      if (place < 0) return kind;
    }
    return "write";
  }

  /** The answer of both engines, which must be the same. */
  both<T>(ask: (store: Store) => Promise<T>): Promise<T> {
    return askBoth(this.#stores, ask);
  }

  /** Writes a random batch for an owner. */
  write(owner_id: string): Promise<void> {
    const connection_id = this.random.pick(CONNECTIONS);
    const held = this.oracle.recordsOf(owner_id).filter(({ ref }) => ref.connection_id === connection_id);
    const size = this.random.pick([1, 1, 1, 2, 5, 20]);
    const batch = this.random.times(size, () => this.#envelope(held));
    return this.ingest(owner_id, connection_id, batch);
  }

  async ingest(owner_id: string, connection_id: string, batch: readonly RecordEnvelope[]): Promise<void> {
    this.#clock.now = new Date(this.#clock.now.getTime() + 1_000);
    const outcomes = await this.both((store) => store.ingest(owner_id, connection_id, batch));
    const wanted = this.oracle.ingest(owner_id, connection_id, batch, this.#clock.now.toISOString());
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      wanted,
    );
  }

  emittedAt(): string {
    return new Date(this.#clock.now.getTime() - this.random.int(0, 9) * 3_600_000).toISOString();
  }

  #envelope(held: readonly Held[]): RecordEnvelope {
    const { random } = this;
    const emitted_at = this.emittedAt();
    if (held.length > 0 && random.chance(0.12)) {
      const { stream, record_id } = random.pick(held).ref;
      return removal(
        stream,
        stream === "labels" ? (JSON.parse(record_id) as string[]) : record_id,
        emitted_at,
      );
    }
    const messages = held.filter(({ ref }) => ref.stream === "messages");
    if (messages.length > 0 && random.chance(0.45))
      return randomRecord(random, "messages", random.pick(messages), emitted_at);
    return randomRecord(
      random,
      random.chance(0.6) ? "messages" : random.pick(STREAMS),
      undefined,
      emitted_at,
    );
  }

  /** Embeds some of the records that wait for it. */
  async embed(owner_id: string): Promise<void> {
    const limit = this.random.pick([1, 5, 40]);
    const step = await this.both((store) => store.embedNext(owner_id, "worker", { limit }));
    this.oracle.embedNext(owner_id, step.state === "progress" ? step.record_count : 0);
  }

  async #merge(): Promise<void> {
    const owner_id = this.random.pick(this.owners);
    await this.both((store) => store.tidy(owner_id));
  }

  #forget(): Promise<void> {
    return this.#sessions.forget(this.random.pick(this.owners));
  }

  async #changes(): Promise<void> {
    const { scope, owner_id, covered } = this.#reads.pickStream();
    if (covered) await this.#sessions.compare(owner_id, scope, covered);
  }

  async #check(): Promise<void> {
    for (const owner_id of this.owners)
      assert.deepEqual(await this.both((store) => store.check(owner_id)), []);
  }
}
