/** Passkeys under attack: other origins, sites, sessions and owners, replays, and copied authenticators. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@rungs/contract";
import {
  createSignIn,
  ensureOwner,
  findPasskeySite,
  listAudit,
  listPasskeys,
  type OwnerContext,
  offerAssertion,
  offerRegistration,
  registerPasskey,
  removePasskey,
  requirePasskey,
} from "@rungs/server";
import { SoftwareAuthenticator } from "../../testing/console/authenticator.ts";
import { testOnEachEngine } from "../../testing/engines.ts";

const SITE = { origin: "https://data.example.org", rp_id: "data.example.org" };
const HERE = { origin: SITE.origin };
const CONFIRM = { purpose: "confirm", bound_to: "session 1" } as const;
const SIGN_IN = { purpose: "sign_in", bound_to: "" } as const;
const isRefused = (error: unknown) =>
  error instanceof ApiError &&
  error.code === "invalid_token" &&
  error.message === "The passkey was not accepted.";

async function register(owner: OwnerContext): Promise<SoftwareAuthenticator> {
  const passkey = new SoftwareAuthenticator();
  const response = passkey.create(await offerRegistration(owner, SITE, "session 1"), HERE);
  await registerPasskey(owner, SITE, { response, label: "  my key  ", bound_to: "session 1" });
  return passkey;
}

testOnEachEngine(
  "a passkey signs in and confirms, each answer once, on every process",
  async ({ store, place }) => {
    const owner = { store, owner_id: await ensureOwner(store), now: Date.now };
    const passkey = await register(owner);
    const [listed, ...rest] = await listPasskeys(owner);
    assert.deepEqual(
      [listed?.label, listed?.rp_id, listed?.used_at, rest.length],
      ["my key", SITE.rp_id, undefined, 0],
    );
    for (const purpose of [SIGN_IN, CONFIRM]) {
      const response = passkey.get(await offerAssertion(owner, SITE, purpose), HERE);
      await requirePasskey(owner, SITE, { ...purpose, response });
      const other = await place.open();
      try {
        for (const each of [owner, { ...owner, store: other }])
          await assert.rejects(requirePasskey(each, SITE, { ...purpose, response }), isRefused, "replayed");
      } finally {
        await other.close();
      }
    }
    assert.ok((await listPasskeys(owner))[0]?.used_at);
    const response = passkey.get(await offerAssertion(owner, SITE, SIGN_IN), HERE);
    await removePasskey(owner, listed?.passkey_id ?? "");
    await assert.rejects(requirePasskey(owner, SITE, { ...SIGN_IN, response }), isRefused, "removed");
    const events = (await listAudit(owner, { limit: 10 })).map(({ operation }) => operation);
    assert.deepEqual(events, ["passkey_removed", "passkey_added"]);
  },
);

testOnEachEngine(
  "an answer for another origin, site, purpose, session, time or owner is refused",
  async ({ store }) => {
    let now = Date.now();
    const owner = { store, owner_id: await ensureOwner(store), now: () => now };
    const passkey = await register(owner);
    const offer = () => offerAssertion(owner, SITE, CONFIRM);
    const answer = async (ceremony: object) => passkey.get(await offer(), { ...HERE, ...ceremony });
    await store.putOwner("you");
    const you = { ...owner, owner_id: "you" };
    const yours = await register(you);
    const late = await answer({});
    const foreign: Readonly<Record<string, string>> = {
      "another origin": await answer({ origin: "https://evil.example.org" }),
      "another port": await answer({ origin: `${SITE.origin}:8443` }),
      "plain http": await answer({ origin: "http://data.example.org" }),
      "another site": await answer({ rp_id: "example.org" }),
      "nobody verified": await answer({ is_verified: false }),
      "for a sign-in": passkey.get(await offerAssertion(owner, SITE, SIGN_IN), HERE),
      "another session": passkey.get(await offerAssertion(owner, SITE, { ...CONFIRM, bound_to: "2" }), HERE),
      "a registration's challenge": passkey.get(await offerRegistration(owner, SITE, "session 1"), HERE),
      "a challenge of nobody": passkey.get({ challenge: "AAAA", rpId: SITE.rp_id }, HERE),
      "a challenge of another owner": passkey.get(await offerAssertion(you, SITE, CONFIRM), HERE),
      "another owner's passkey": yours.get(await offer(), HERE),
      "an unknown passkey": new SoftwareAuthenticator().get(await offer(), HERE),
      "another key under its id": Object.assign(new SoftwareAuthenticator(), {
        id: passkey.id,
        counter: 99,
      }).get(await offer(), HERE),
      "not JSON": "passkey",
      "not an answer": "[]",
      null: "null",
      "an answer without parts": JSON.stringify({ id: passkey.id.toString("base64url") }),
    };
    for (const [name, response] of Object.entries(foreign))
      await assert.rejects(requirePasskey(owner, SITE, { ...CONFIRM, response }), isRefused, name);
    await requirePasskey(owner, SITE, { ...CONFIRM, response: await answer({}) });
    now += 11 * 60 * 1000;
    await assert.rejects(requirePasskey(owner, SITE, { ...CONFIRM, response: late }), isRefused, "too late");
    assert.equal((await listPasskeys(you)).length, 1);
  },
);

testOnEachEngine("a passkey whose counter falls behind was copied, and is refused", async ({ store }) => {
  const owner = { store, owner_id: await ensureOwner(store), now: Date.now };
  const passkey = await register(owner);
  const use = async () =>
    requirePasskey(owner, SITE, {
      ...SIGN_IN,
      response: passkey.get(await offerAssertion(owner, SITE, SIGN_IN), HERE),
    });
  passkey.counter = 7;
  await use();
  for (const behind of [3, 7]) {
    passkey.counter = behind;
    await assert.rejects(use(), isRefused, `after ${behind}`);
  }
  passkey.counter = 8;
  await use();
});

testOnEachEngine(
  "a passkey is registered by the session that asked, once, at its own site",
  async ({ store }) => {
    const owner = { store, owner_id: await ensureOwner(store), now: Date.now };
    const add = async (ceremony: object, bound_to = "session 1", passkey = new SoftwareAuthenticator()) => {
      const response = passkey.create(await offerRegistration(owner, SITE, "session 1"), {
        ...HERE,
        ...ceremony,
      });
      await registerPasskey(owner, SITE, { response, label: "", bound_to });
      return response;
    };
    await assert.rejects(add({ origin: "https://evil.example.org" }), isRefused);
    await assert.rejects(add({ rp_id: "evil.example.org" }), isRefused);
    await assert.rejects(add({ is_verified: false }), isRefused);
    await assert.rejects(add({}, "session 2"), isRefused);
    const passkey = new SoftwareAuthenticator();
    const response = await add({}, "session 1", passkey);
    await assert.rejects(
      registerPasskey(owner, SITE, { response, label: "", bound_to: "session 1" }),
      isRefused,
    );
    await assert.rejects(add({}, "session 1", passkey), isRefused, "the same credential again");
    assert.deepEqual(
      (await listPasskeys(owner)).map(({ label }) => label),
      ["Passkey"],
    );
  },
);

test("passkeys work at names with https and at localhost, not at IP addresses", () => {
  const at = (url: string) => findPasskeySite(url)?.rp_id;
  assert.deepEqual(
    ["https://data.example.org:8443/x", "http://localhost:7070", "http://a.localhost"].map(at),
    ["data.example.org", "localhost", "a.localhost"],
  );
  for (const url of [
    "http://127.0.0.1:7070",
    "http://[::1]:7070",
    "https://10.0.0.1",
    "http://data.example.org",
  ])
    assert.equal(at(url), undefined, url);
});

testOnEachEngine(
  "R57 strangers who send answers keep nobody from signing in by passkey, and fill no audit log",
  async ({ store }) => {
    const owner = {
      store,
      owner_id: await ensureOwner(store),
      now: () => Date.parse("2026-05-01T00:00:00Z"),
    };
    const passkey = await register(owner);
    const { byPasskey, confirmByPasskey } = createSignIn(owner);
    const codes = new Map<string, number>();
    const forge = async (send: (response: string) => Promise<unknown>) => {
      const forged = new SoftwareAuthenticator();
      Object.assign(forged, { id: passkey.id });
      const response = forged.get(await offerAssertion(owner, SITE, SIGN_IN), HERE);
      await send(response).catch(({ code }) => codes.set(code, (codes.get(code) ?? 0) + 1));
    };
    for (let at = 0; at < 40; at += 1) await forge((response) => byPasskey(SITE, response, "browser"));
    assert.deepEqual(
      [...codes],
      [
        ["invalid_token", 30],
        ["rate_limited", 10],
      ],
    );
    const response = passkey.get(await offerAssertion(owner, SITE, SIGN_IN), HERE);
    assert.ok(await byPasskey(SITE, response, "browser"));
    const confirmed = passkey.get(await offerAssertion(owner, SITE, CONFIRM), HERE);
    await confirmByPasskey(owner, SITE, { bound_to: CONFIRM.bound_to, response: confirmed });
    const refusals = (await listAudit(owner, { limit: 100 })).filter(
      ({ operation }) => operation === "passkey_refused",
    );
    assert.equal(refusals.length, 30);
  },
);
