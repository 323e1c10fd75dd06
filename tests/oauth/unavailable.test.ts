/** Requests for nonexistent data: the owner is told, and the client learns nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConsentView } from "@rungs/server";
import { library } from "../../testing/library.ts";
import { Browser } from "../../testing/oauth/browser.ts";
import { ask, Flow, onEveryServer, post, register } from "../../testing/oauth/served.ts";
import type { Json } from "../../testing/world.ts";

function detail(over: Json = {}): Json {
  return {
    type: "https://pdpp.dev/data-access",
    source: { id: library.source.id },
    purpose_code: "https://pdpp.dev/purpose/assistance",
    access_mode: "continuous",
    streams: [{ name: "notes", instance_ids: ["home"], fields: ["title"] }],
    ...over,
  };
}

/** Well-formed requests for something nonexistent. */
const absent: Json[] = [
  [detail({ streams: [{ name: "nothing", instance_ids: ["home"] }] })],
  [detail({ streams: [{ name: "notes", instance_ids: ["home"], fields: ["nothing"] }] })],
  [detail({ streams: [{ name: "notes", instance_ids: ["nowhere"] }] })],
  [detail({ source: { id: "https://rungs.example/connectors/none" } })],
  [detail({ streams: undefined, selection_preset: "none such" })],
];

/** Requests that break a rule of the protocol, whatever exists. */
const malformed: Json[] = [[detail({ selection_preset: "all" })], [detail({ streams: undefined })]];

onEveryServer((served) => {
  let client_id = "";
  const begin = async () => {
    client_id ||= await register(served());
    return new Flow(served(), client_id);
  };
  const askFor = async (details: Json): Promise<string> =>
    ask((await begin()).authorizationUrl({ authorization_details: JSON.stringify(details) }));
  const viewOf = async (uid: string): Promise<ConsentView> => {
    const view = await served().oauth.consents.view(uid);
    assert.ok(view);
    return view;
  };
  const answer = (uid: string, { decision, digest }: ConsentView) =>
    served().oauth.consents.approve(uid, decision, { digest, training_allowed: false });

  test("before consent no client learns what exists: requests for missing and existing streams look the same", async () => {
    const flow = await begin();
    const params = Object.fromEntries(new URL(flow.authorizationUrl()).searchParams);
    const told = async (details: Json) => {
      const form = { ...params, authorization_details: JSON.stringify(details) };
      const { url } = served();
      const pushed = await post(`${url}/oauth/par`, form);
      const device = await post(`${url}/oauth/device`, form);
      const browser = new Browser();
      const uid = await ask(flow.authorizationUrl(form), browser);
      const back = await browser.follow((await served().oauth.consents.deny(uid)) ?? "");
      const members = [pushed, device].map(({ status, body }) => [status, Object.keys(body)]);
      return { members, answer: back.search };
    };
    const known = await told([detail()]);
    assert.deepEqual(known.members[0]?.[0], 201);
    assert.match(known.answer, /error=access_denied/);
    for (const details of absent) assert.deepEqual(await told(details), known, JSON.stringify(details));
  });

  test("a request with both or neither of streams and selection_preset is refused before consent", async () => {
    const params = Object.fromEntries(new URL((await begin()).authorizationUrl()).searchParams);
    for (const details of malformed) {
      const form = { ...params, authorization_details: JSON.stringify(details) };
      const { status, body } = await post(`${served().url}/oauth/par`, form);
      assert.deepEqual([status, body.error], [400, "invalid_authorization_details"]);
    }
  });

  test("the owner sees what is unavailable and why, and can grant the rest or refuse", async () => {
    for (const details of absent) {
      const uid = await askFor(details);
      const view = await viewOf(uid);
      assert.deepEqual([view.unavailable.length, view.grantable], [1, []], JSON.stringify(details));
      assert.doesNotMatch(view.unavailable[0] ?? "", /authorization_details/);
      assert.equal((await answer(uid, view)).kind, "shown_again");
    }
    const streams = ["home", "nowhere"].map((id) => ({
      name: "notes",
      instance_ids: [id],
      fields: ["title"],
    }));
    const uid = await askFor([detail({ streams })]);
    const view = await viewOf(uid);
    const reason = "nowhere/notes: instance_ids[0] is not a connection of the source.";
    assert.deepEqual(view.unavailable, [reason]);
    assert.deepEqual(
      view.streams.map(({ connection_id }) => connection_id),
      ["home"],
    );
    assert.equal((await answer(uid, view)).kind, "granted");
  });
});
