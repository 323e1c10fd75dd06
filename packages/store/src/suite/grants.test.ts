import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Grant } from "@rungs/contract";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createTestGrant, OWNER } from "../../../../testing/store/world.ts";
import type { AuditEntry, StoredToken } from "../store.ts";

const AT = "2026-01-01T00:00:00Z";
const BARE = { kind: "owner", grant_ids: [] } as const;

testOnEachEngine("a grant is stored unchanged, for its owner only", async ({ store }) => {
  for (const owner of [OWNER, "you"]) await store.putOwner(owner);
  const grants = ["g2", "g1"].map((id) => createTestGrant(id));
  for (const one of grants) await store.putGrant(OWNER, one);
  assert.deepEqual(await store.listGrants(OWNER), [{ grant: grants[1] }, { grant: grants[0] }]);
  assert.deepEqual(await store.getGrant(OWNER, "g1"), { grant: grants[1] });
  assert.equal(await store.getGrant("you", "g1"), undefined);
  assert.deepEqual(await store.listGrants("you"), []);
  await assert.rejects(store.putGrant(OWNER, createTestGrant("g1", { purpose_description: "wider" })));
  assert.deepEqual(await store.getGrant(OWNER, "g1"), { grant: grants[1] });
});

testOnEachEngine("a grant is replaced only as it was seen, and not once it is revoked", async ({ store }) => {
  for (const owner of [OWNER, "you"]) await store.putOwner(owner);
  const [first, second, third] = ["one", "two", "three"].map((purpose_description) =>
    createTestGrant("g1", { purpose_description }),
  ) as [Grant, Grant, Grant];
  await store.putGrant(OWNER, first);
  assert.equal(await store.replaceGrant("you", first, second), false);
  assert.equal(await store.replaceGrant(OWNER, second, third), false);
  assert.equal(await store.replaceGrant(OWNER, first, second), true);
  assert.equal(await store.replaceGrant(OWNER, first, third), false, "another change came first");
  assert.deepEqual(await store.getGrant(OWNER, "g1"), { grant: second });
  await store.revokeGrant(OWNER, "g1", AT);
  assert.equal(await store.replaceGrant(OWNER, second, third), false);
  assert.deepEqual(await store.getGrant(OWNER, "g1"), { grant: second, revoked_at: AT });
});

testOnEachEngine(
  "R52 a revoked grant is a tombstone: it stays, and is revoked only once",
  async ({ store }) => {
    for (const owner of [OWNER, "you"]) await store.putOwner(owner);
    await store.putGrant(OWNER, createTestGrant("g1"));
    assert.equal(await store.revokeGrant("you", "g1", "2026-02-01T00:00:00Z"), false);
    assert.equal(await store.revokeGrant(OWNER, "g1", "2026-02-02T00:00:00Z"), true);
    assert.equal(await store.revokeGrant(OWNER, "g1", "2026-02-03T00:00:00Z"), false);
    assert.equal(await store.revokeGrant(OWNER, "none", "2026-02-03T00:00:00Z"), false);
    const revoked = { grant: createTestGrant("g1"), revoked_at: "2026-02-02T00:00:00Z" };
    assert.deepEqual(await store.getGrant(OWNER, "g1"), revoked);
    assert.deepEqual(await store.listGrants(OWNER), [revoked]);
    await assert.rejects(store.putGrant(OWNER, createTestGrant("g1")));
    assert.deepEqual(await store.getGrant(OWNER, "g1"), revoked);
  },
);

testOnEachEngine(
  "R52 a revoked grant stays revoked when the store is opened again",
  async ({ store, place }) => {
    await store.putOwner(OWNER);
    await store.putGrant(OWNER, createTestGrant("g1"));
    await store.revokeGrant(OWNER, "g1", AT);
    const again = await place.open();
    try {
      assert.equal((await again.getGrant(OWNER, "g1"))?.revoked_at, AT);
    } finally {
      await again.close();
    }
  },
);

testOnEachEngine("R53 tokens are found by their digest, with all their properties", async ({ store }) => {
  for (const owner of [OWNER, "you"]) await store.putOwner(owner);
  const full = token("secret-1", {
    kind: "client",
    grant_ids: ["g1", "g2"],
    expires_at: "2027-01-01T00:00:00Z",
  });
  const bare = token("secret-2", BARE);
  for (const one of [full, bare]) await store.putToken(one);
  assert.deepEqual(await store.findToken(full.digest), full);
  assert.deepEqual(await store.findToken(bare.digest), bare);
  assert.equal(await store.findToken("secret-1"), undefined);
  assert.equal(await store.findToken(""), undefined);
  assert.equal(await store.revokeToken("you", full.digest, AT), false);
  assert.equal(await store.revokeToken(OWNER, full.digest, AT), true);
  assert.deepEqual(await store.findToken(full.digest), { ...full, revoked_at: AT });
  assert.deepEqual(await store.findToken(bare.digest), bare);
  assert.equal(await store.revokeToken(OWNER, "unknown", AT), false);
});

testOnEachEngine(
  "tokens are listed for their owner only, newest first, including ended ones",
  async ({ store }) => {
    for (const owner of [OWNER, "you"]) await store.putOwner(owner);
    const [old, fresh] = [
      token("old", BARE),
      { ...token("fresh", BARE), created_at: "2026-01-02T00:00:00Z" },
    ];
    for (const one of [old, fresh, { ...token("yours", BARE), owner_id: "you" }]) await store.putToken(one);
    await store.revokeToken(OWNER, old.digest, new Date().toISOString());
    const listed = await store.listTokens(OWNER);
    assert.deepEqual(
      listed.map(({ revoked_at: _, ...one }) => one),
      [fresh, old],
    );
    assert.deepEqual(
      listed.map(({ revoked_at }) => revoked_at !== undefined),
      [false, true],
    );
  },
);

testOnEachEngine(
  "a new token deletes tokens that ended a month ago, and no row of the audit log",
  async ({ store }) => {
    for (const owner of [OWNER, "you"]) await store.putOwner(owner);
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const kept = [
      token("endless", BARE),
      token("expired lately", { ...BARE, expires_at: ago(29) }),
      token("ended lately", { ...BARE, expires_at: ago(-60), revoked_at: ago(29) }),
      token("lives", { ...BARE, expires_at: ago(-60) }),
    ];
    const gone = [
      token("expired", { ...BARE, expires_at: ago(31) }),
      token("ended", { ...BARE, expires_at: ago(-60), revoked_at: ago(31) }),
    ];
    const yours = { ...token("yours", { ...BARE, expires_at: ago(31) }), owner_id: "you" };
    // Each token is stored when it is added; only earlier ones are deleted.
    for (const one of [yours, ...kept, ...gone]) await store.putToken(one);
    await store.appendAudit(OWNER, [entry(1)]);
    await store.putToken(token("new", BARE));
    for (const one of kept) assert.deepEqual(await store.findToken(one.digest), one);
    for (const one of gone) assert.equal(await store.findToken(one.digest), undefined);
    assert.deepEqual(await store.findToken(yours.digest), yours);
    assert.equal((await store.listAudit(OWNER, { limit: 9 })).length, 1);
  },
);

testOnEachEngine("R55 every read is listed, newest first, and can be narrowed", async ({ store }) => {
  for (const owner of [OWNER, "you"]) await store.putOwner(owner);
  const entries = Array.from({ length: 7 }, (_, at) => entry(at));
  await store.appendAudit(OWNER, entries.slice(0, 3));
  await store.appendAudit(OWNER, []);
  await store.appendAudit("you", [entry(99)]);
  for (const one of entries.slice(3)) await store.appendAudit(OWNER, [one]);
  const listed = await store.listAudit(OWNER, { limit: 100 });
  assert.deepEqual(
    listed.map(({ audit_id: _, ...rest }) => rest),
    entries.toReversed(),
  );
  assert.ok(listed.every(({ audit_id }, at) => at === 0 || audit_id < (listed[at - 1]?.audit_id ?? 0)));
  const times = async (filter: object) =>
    (await store.listAudit(OWNER, { limit: 100, ...filter })).map(({ request_id }) => request_id);
  assert.deepEqual(await times({ grant_id: "g1" }), ["r5", "r3", "r1"]);
  assert.deepEqual(await times({ client_id: "c0" }), ["r6", "r3", "r0"]);
  assert.deepEqual(await times({ since: "2026-01-01T00:00:05Z" }), ["r6", "r5"]);
  assert.deepEqual(await times({ limit: 2 }), ["r6", "r5"]);
  assert.deepEqual(await times({ before_audit_id: listed[4]?.audit_id, limit: 1 }), ["r1"]);
  assert.deepEqual(await times({ grant_id: "g1", client_id: "c0" }), ["r3"]);
});

testOnEachEngine(
  "a secret is created once, and is the same for every process that opens the store",
  async ({ store, place }) => {
    const first = await store.getSecret("cursor", () => "made first");
    assert.equal(first, "made first");
    const again = await place.open();
    try {
      const unwanted = () => assert.fail("made twice");
      assert.equal(await again.getSecret("cursor", unwanted), first);
      assert.equal(await again.getSecret("other", () => "another"), "another");
    } finally {
      await again.close();
    }
    let made = 0;
    const create = () => {
      made += 1;
      return `${made}`;
    };
    const race = await Promise.all(Array.from({ length: 8 }, () => store.getSecret("race", create)));
    assert.deepEqual(new Set(race), new Set(["1"]));
  },
);

function token(
  secret: string,
  more: Pick<StoredToken, "kind" | "grant_ids" | "expires_at" | "revoked_at">,
): StoredToken {
  const digest = createHash("sha256").update(secret).digest("hex");
  return { digest, owner_id: OWNER, client_id: "agent", created_at: AT, ...more };
}

function entry(at: number): AuditEntry {
  return {
    at: `2026-01-01T00:00:0${at % 10}Z`,
    request_id: `r${at}`,
    client_id: `c${at % 3}`,
    operation: "fetch",
    status: 200,
    bytes: at * 1_000,
    ...(at % 2 === 1
      ? {
          grant_id: "g1",
          connection_id: "mail",
          stream: "messages",
          record_id: "k",
          field: "body",
          range_start: 0,
          range_end: at,
          records: 1,
        }
      : {}),
  };
}
