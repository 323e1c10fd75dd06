/** Change sessions, each starting where an earlier one ended. */
import assert from "node:assert/strict";
import type { ReadScope } from "@rungs/contract";
import type { Random } from "../../../../testing/random.ts";
import { askBoth, assertRecord } from "../../../../testing/store/compare.ts";
import type { Covered, Oracle, WriteEvent } from "../../../../testing/store/oracle.ts";
import type { Change, ChangesPosition, Store } from "../store.ts";
import { changesSince } from "./oracle-changes.ts";

export class ChangeSessions {
  readonly #random: Random;
  readonly #oracle: Oracle;
  readonly #stores: readonly [Store, Store];
  /** The horizons of earlier sessions: the store's position, and the number of writes. */
  readonly #horizons = new Map<string, { position: number; events: number }[]>();
  readonly #forgotten = new Map<string, number>();

  constructor(random: Random, oracle: Oracle, stores: readonly [Store, Store]) {
    this.#random = random;
    this.#oracle = oracle;
    this.#stores = stores;
  }

  /** Deletes the tombstones up to an owner's last session. */
  async forget(owner_id: string): Promise<void> {
    const last = this.#horizons.get(owner_id)?.at(-1);
    if (!last) return;
    await askBoth(this.#stores, (store) => store.forgetDepartures(owner_id, last.position + 1));
    this.#oracle.forget(owner_id, last.events);
    this.#forgotten.set(owner_id, last.position + 1);
  }

  /** Reads a session from a random start to its end, on both engines, and compares it with the oracle. */
  async compare(owner_id: string, scope: ReadScope, covered: Covered): Promise<void> {
    const known = this.#horizons.get(owner_id) ?? [];
    // A record that moved with its parent makes its followers start over (`parents.test.ts`).
    const followsAll = covered.limits.within === undefined;
    const since =
      known.length === 0 || !followsAll || this.#random.chance(0.3)
        ? { position: 0, events: 0 }
        : this.#random.pick(known);
    const { connection_id, stream } = covered.limits;
    const fields = this.#random.chance(0.2) ? this.#random.some([...covered.granted], 0.5) : undefined;
    const request = {
      connection_id,
      stream,
      fields,
      since: since.position,
      limit: this.#random.pick([1, 4, 50]),
    };
    if (since.position > 0 && since.position < (this.#forgotten.get(owner_id) ?? 0)) {
      for (const store of this.#stores)
        await assert.rejects(store.listChanges(scope, request), { code: "cursor_expired" });
      return;
    }
    const events = this.#oracle.eventsOf(owner_id);
    const shown = (kind: string) => followsAll || kind === "record";
    const wanted = changesSince(this.#oracle, scope, request, since.events).filter(({ kind }) => shown(kind));
    const found: Change[] = [];
    let after: ChangesPosition | undefined;
    let horizon: number | undefined;
    do {
      const [from, until] = [after, horizon] as [ChangesPosition | undefined, number | undefined];
      const page = await askBoth(this.#stores, (store) =>
        store.listChanges(scope, { ...request, after: from, horizon: until }),
      );
      found.push(...page.changes.filter(({ kind }) => shown(kind)));
      after = page.next;
      horizon = page.horizon;
    } while (after && found.length <= wanted.length);
    this.#horizons.set(owner_id, [...known, { position: horizon, events: events.length }].slice(-20));
    assert.deepEqual(
      found.map((change) => [
        change.kind,
        change.kind === "record" ? change.record.record_id : change.record_id,
      ]),
      wanted.map((change) => [
        change.kind,
        change.kind === "record" ? change.held.ref.record_id : change.record_id,
      ]),
    );
    for (const [at, change] of found.entries()) {
      const expected = wanted[at];
      const { emitted_at, at: deleted_at } = events[expected?.event ?? 0] as WriteEvent;
      if (expected?.kind === "tombstone") {
        assert.deepEqual(change, {
          kind: "tombstone",
          record_id: expected.record_id,
          deleted_at,
          emitted_at,
        });
      } else
        assertRecord(
          this.#oracle,
          scope,
          change.kind === "record" ? change.record : undefined,
          expected?.held,
          fields,
        );
    }
  }
}
