import assert from "node:assert/strict";
import type { Store } from "@rungs/store";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { acceptInvitation, inviteOwner } from "./accounts.ts";
import { ensureOwner } from "./owner-context.ts";
import { createSignIn } from "./sign-in.ts";

const PASSWORD = "correct horse battery";

/** A store that simulates a kill at a call of `method`, before or after its work. */
function killedAt(store: Store, method: keyof Store, isAfter: boolean): Store {
  let isDead = false;
  return new Proxy(store, {
    get(target, name) {
      const value = target[name as keyof Store];
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        if (isDead) throw new Error("killed");
        isDead = name === method;
        const result = isDead && !isAfter ? undefined : await Reflect.apply(value, target, args);
        if (isDead) throw new Error("killed");
        return result;
      };
    },
  });
}

testOnEachEngine(
  "R126 a server that is killed while somebody joins leaves an owner who can sign in, or a name that can be invited again",
  async ({ store }) => {
    const owner = { store, owner_id: await ensureOwner(store), now: Date.now };
    const invite = async (name: string) => {
      const { url } = await inviteOwner(owner, { name, base_url: "http://here" });
      return new URL(url).searchParams.get("code") ?? "";
    };
    const join = async (code: string, through: Store = store) =>
      acceptInvitation({ ...owner, store: through }, { code, password: PASSWORD, agent: "browser" });
    await assert.rejects(join(await invite("ada"), killedAt(store, "addOwner", true)), /killed/);
    assert.deepEqual(await store.listOwners(), [owner.owner_id, "ada"]);
    await createSignIn(owner).byPassword({ name: "ada", password: PASSWORD }, "browser");

    await assert.rejects(join(await invite("ben"), killedAt(store, "addOwner", false)), /killed/);
    await join(await invite("ben"));
    assert.deepEqual(await store.listOwners(), [owner.owner_id, "ada", "ben"]);
  },
);
