/** Random data of two owners, in the store and in the oracle, and random grants over it. */
import type { Exclusion, Grant, GrantBudget, ReadScope, RecordEnvelope } from "@rungs/contract";
import { canonicalKey } from "@rungs/evidence";
import { createToken, digestToken } from "@rungs/server";
import type { Store, StoredRef } from "@rungs/store";
import type { Random } from "../../testing/random.ts";
import { createManifest } from "../../testing/store/manifests.ts";
import { type Held, Oracle } from "../../testing/store/oracle.ts";
import { finishRules } from "../../testing/store/pattern-rules.ts";
import { randomRecord } from "../../testing/store/random-data.ts";
import { CONNECTIONS, randomScope, STREAMS } from "../../testing/store/random-questions.ts";
import { createOwner } from "../../testing/store/world.ts";
import { toGrant } from "./grant-of-scope.ts";
import { Markers } from "./markers.ts";
import { type IngestedBatch, MASKS, MaskedView } from "./masked-view.ts";
import { type HiddenStream, listParentLimits, randomRules, toExclusions } from "./random-rules.ts";

export const NOW = Date.UTC(2026, 5, 1);
export const EMITTED_AT = new Date(NOW).toISOString();
/** Two owners with connections, streams and keys of the same names. */
const OWNERS = ["me", "you"] as const;

/** Two owners' random records, and the oracle that holds the same. */
export class AuthorizationData {
  /** Everything that a client could read under the current grant, with masks applied. */
  oracle = new Oracle(createManifest());
  readonly random: Random;
  /** Whose data the current grant is about. */
  owner_id: (typeof OWNERS)[number] = OWNERS[0];
  scope!: ReadScope;
  current: Grant | undefined;
  token = "";
  readonly store: Store;
  readonly markers = new Markers();
  readonly #whole = this.oracle;
  readonly #batches: IngestedBatch[] = [];
  #secret = "";
  #grants = 0;
  #masked: ReadonlySet<string> = new Set();
  readonly #rules = new Map<string, HiddenStream[]>();

  constructor(random: Random, store: Store) {
    this.random = random;
    this.store = store;
  }

  async fill(records: number): Promise<void> {
    for (const owner_id of OWNERS) {
      await createOwner(this.store, { owner_id, connections: CONNECTIONS });
      for (const connection_id of CONNECTIONS) {
        this.#whole.putConnection(owner_id, connection_id);
        const batch = this.random.times(records, () => {
          const record = randomRecord(this.random, this.random.pick(STREAMS), undefined, EMITTED_AT);
          return this.markers.mark(owner_id, connection_id, record);
        });
        this.#batches.push({ owner_id, connection_id, records: batch });
        this.#whole.ingest(owner_id, connection_id, batch, EMITTED_AT);
        await this.store.ingest(owner_id, connection_id, batch);
      }
    }
    await this.#copyMasked();
  }

  /** An unused grant keeps the masked copies alive, which all grants share. */
  async #copyMasked(): Promise<void> {
    this.#secret = await this.store.getSecret("masks", createToken);
    const streams = CONNECTIONS.flatMap((connection_id) =>
      STREAMS.map((stream) => ({ connection_id, stream, fields: ["id"], masks: MASKS[stream] })),
    );
    for (const owner_id of OWNERS) {
      await this.store.putGrant(owner_id, toGrant("masked", EMITTED_AT, { owner_id, streams }, this.#whole));
      while ((await this.store.copyMasked(owner_id)).state === "progress");
    }
  }

  /** Creates a random grant of one of the owners, for the following requests. */
  async grant(): Promise<void> {
    const { random } = this;
    this.owner_id = random.pick(OWNERS);
    const scope = randomScope(random, this.#whole, this.owner_id);
    const masked = new Set(random.chance(0.4) ? random.some(STREAMS, 0.7) : []);
    const rules = await this.#drawRules();
    const plain = scope.streams
      .filter(({ fields }) => fields.length > 0)
      .map(({ within: _, never: __, ...limits }) => ({
        ...this.#timed(limits),
        never: rules.find((each) => isOf(each, limits))?.never,
      }));
    const streams = plain.map((limits) => ({
      ...limits,
      ...(masked.has(limits.stream) ? { masks: MASKS[limits.stream] } : {}),
      within: listParentLimits(this.#whole, plain, rules, limits),
    }));
    this.scope = { ...scope, streams };
    this.#masked = masked;
    this.#view();
    const grant_id = `grant_${this.#grants++}`;
    this.token = createToken();
    this.current = toGrant(grant_id, EMITTED_AT, this.scope, this.#whole, randomBudget(random));
    await this.store.putGrant(this.owner_id, this.current);
    await this.store.putToken({
      digest: digestToken(this.token),
      owner_id: this.owner_id,
      kind: "client",
      client_id: "agent",
      grant_ids: [grant_id],
      created_at: EMITTED_AT,
    });
  }

  #view(): void {
    this.oracle =
      this.#masked.size === 0
        ? this.#whole
        : new MaskedView(this.#whole, this.#batches, this.#masked, this.#maskSecret);
  }

  /** Writes or deletes a record of the owner; returns whether the grant showed it before, and does now. */
  async write(
    connection_id: string,
    stream: string,
  ): Promise<{ ref: StoredRef; before: boolean; after: boolean }> {
    const { random, owner_id } = this;
    const held = this.#whole
      .recordsOf(owner_id)
      .filter(({ ref }) => ref.connection_id === connection_id && ref.stream === stream);
    const old = held.length > 0 && random.chance(0.6) ? random.pick(held) : undefined;
    const drawn = randomRecord(random, stream, old, EMITTED_AT);
    const { key } = drawn;
    const envelope: RecordEnvelope = random.chance(0.2)
      ? { stream, key, op: "delete", emitted_at: EMITTED_AT }
      : this.markers.mark(owner_id, connection_id, drawn);
    const ref = { connection_id, stream, record_id: canonicalKey(key) };
    const isShown = () => {
      const now = this.oracle.find(owner_id, ref);
      return now !== undefined && this.limitsOf(now) !== undefined;
    };
    const before = isShown();
    const records = [envelope];
    this.#whole.ingest(owner_id, connection_id, records, EMITTED_AT);
    this.#batches.push({ owner_id, connection_id, records });
    await this.store.ingest(owner_id, connection_id, records);
    this.#view();
    return { ref, before, after: isShown() };
  }

  /** Each owner's masks are different: the owners have the numbers 1 and 2. */
  get #maskSecret(): string {
    return `${this.#secret}\n${OWNERS.indexOf(this.owner_id) + 1}`;
  }

  /** Changes the owner's exclusions now and then; they apply to the owner's grants from then on. */
  async #drawRules(): Promise<HiddenStream[]> {
    const known = this.#rules.get(this.owner_id);
    if (known && this.random.chance(0.75)) return known;
    const rules = randomRules(this.random, this.#whole, this.owner_id);
    this.#rules.set(this.owner_id, rules);
    await this.#exclude(toExclusions(rules, EMITTED_AT));
    return rules;
  }

  async #exclude(exclusions: readonly Exclusion[]): Promise<void> {
    for (const { rule_id } of await this.store.listExclusions(this.owner_id))
      await this.store.deleteExclusion(this.owner_id, rule_id);
    for (const exclusion of exclusions) await this.store.putExclusion(this.owner_id, exclusion);
    await finishRules(this.store, this.owner_id);
  }

  /** A stream without a consent time has no time to limit. */
  #timed({ time, ...limits }: ReadScope["streams"][number]): ReadScope["streams"][number] {
    const isLimited = time?.since_ms !== undefined || time?.until_ms !== undefined;
    return isLimited && this.oracle.shapeOf(limits.stream).consent_time_field !== undefined
      ? { ...limits, time }
      : limits;
  }

  get isEmpty(): boolean {
    return this.scope.streams.length === 0;
  }

  get hasBudget(): boolean {
    return this.current?.budget !== undefined;
  }

  /** A record of the grant's owner, or one that exists only for another owner. */
  anyRecord(): Held {
    const picked = this.random.pick(
      this.oracle.recordsOf(this.random.chance(0.85) ? this.owner_id : this.random.pick(OWNERS)),
    );
    return this.oracle.find(this.owner_id, picked.ref) ?? picked;
  }

  limitsOf(held: Held): ReadScope["streams"][number] | undefined {
    const mine = this.oracle.find(this.owner_id, held.ref);
    if (mine !== held) return undefined;
    return this.scope.streams.find(
      (limits) => isOf(limits, held.ref) && this.oracle.covers(this.owner_id, held, limits),
    );
  }

  grantedOf(held: Held): ReadonlySet<string> {
    return new Set(this.limitsOf(held)?.fields);
  }
}

export function isOf(
  one: { readonly connection_id: string; readonly stream: string },
  ref: { readonly connection_id: string; readonly stream: string },
): boolean {
  return one.connection_id === ref.connection_id && one.stream === ref.stream;
}

/** Most grants have no budget; some have more than enough, some too little. */
function randomBudget(random: Random): GrantBudget | undefined {
  if (random.chance(0.6)) return undefined;
  const most = random.pick([1e12, 200_000, 20_000]);
  return { bytes: most, ...(random.chance(0.5) ? { records: random.pick([1e9, 60, 5]) } : {}) };
}
