/** Signing in on an offline server: hosts register, and an unreadable document is named. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Browser } from "../../testing/oauth/browser.ts";
import { Flow, register, type Served, serve } from "../../testing/oauth/served.ts";
import { createWorld } from "../../testing/world.ts";

const CLIENT_ID = "https://agent.example/client.json";
const OFFER = "client_id_metadata_document_supported";
const unreachable = () => Promise.reject(new Error("getaddrinfo EAI_AGAIN agent.example"));

async function readOffer({ url }: Served): Promise<unknown> {
  const answers = ["oauth-authorization-server", "openid-configuration"].map(async (name) => {
    const answer = await fetch(`${url}/.well-known/${name}`);
    return ((await answer.json()) as Record<string, unknown>)[OFFER];
  });
  const [one, other] = await Promise.all(answers);
  assert.equal(one, other);
  return one;
}

const open = (served: Served, client_id: string) =>
  new Browser().open(
    new Flow(served, client_id).authorizationUrl({ redirect_uri: "https://agent.example/cb" }),
  );

describe("signing in offline", () => {
  test("an unreadable document is named, and programs are asked to register from then on", async (t) => {
    const served = await serve(await createWorld("sqlite"), { fetch: unreachable });
    t.after(() => served.close());
    assert.equal(await readOffer(served), true);
    const refused = await open(served, CLIENT_ID);
    const page = await refused.text();
    assert.equal(refused.status, 400);
    assert.match(page, /could not read https:\/\/agent\.example\/client\.json/);
    assert.match(page, /register instead.*\n.*rungs grant create/);
    assert.equal(await readOffer(served), undefined);
    const flow = new Flow(served, await register(served));
    assert.ok((await new Browser().open(flow.authorizationUrl())).status < 400);
  });

  test("off: no offer and no fetch; on: always an offer", async (t) => {
    let fetched = 0;
    const count = () => {
      fetched += 1;
      return unreachable();
    };
    const world = await createWorld("sqlite");
    const off = await serve(world, { fetch: count, client_documents: "off" });
    const on = await serve(world, { fetch: count, client_documents: "on" });
    t.after(async () => {
      await off.stop();
      await on.close();
    });
    assert.equal(await readOffer(off), undefined);
    assert.match(await (await open(off, CLIENT_ID)).text(), /could not read https:\/\/agent\.example/);
    assert.equal(fetched, 0);
    await open(on, CLIENT_ID);
    assert.ok(fetched > 0);
    assert.equal(await readOffer(on), true);
  });

  test("a page never repeats an address that is not https", async (t) => {
    const served = await serve(await createWorld("sqlite"), { fetch: unreachable });
    t.after(() => served.close());
    for (const client_id of ["http://agent.example/x", "javascript:alert(1)"])
      assert.doesNotMatch(await (await open(served, client_id)).text(), /could not read/);
  });
});
