/** What the owner sees of an authorization request, and that approval grants exactly that. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConsentDecision, type ConsentView, listGrants, putConnection } from "@rungs/server";
import { library } from "../../testing/library.ts";
import { Browser } from "../../testing/oauth/browser.ts";
import { ask, chooseAll, Flow, onEveryServer, read, register } from "../../testing/oauth/served.ts";
import { type Json, OUTSIDE } from "../../testing/world.ts";

const TRAINING = "https://pdpp.dev/purpose/ai_training";

/** A request for this year's notes of `home` without their secret. */
function detail(over: Json = {}): Json {
  return {
    type: "https://pdpp.dev/data-access",
    source: { id: library.source.id },
    purpose_code: "https://pdpp.dev/purpose/assistance",
    purpose_description: "Answers questions about notes.",
    access_mode: "continuous",
    streams: [
      {
        name: "notes",
        instance_ids: ["home"],
        fields: ["title", "body", "written_at"],
        time_range: { since: "2026-01-10T00:00:00Z" },
      },
    ],
    client_claims: { commitments: ["Never sells anything."] },
    ...over,
  };
}

onEveryServer((served) => {
  let client_id = "";
  const begin = async () => {
    client_id ||= await register(served());
    return new Flow(served(), client_id);
  };
  const askFor = async (...details: Json[]): Promise<string> => {
    const authorization_details = details.length === 0 ? undefined : JSON.stringify(details);
    return ask((await begin()).authorizationUrl({ authorization_details }));
  };
  const viewOf = async (uid: string, choice?: ConsentDecision): Promise<ConsentView> => {
    const view = await served().oauth.consents.view(uid, choice);
    assert.ok(view);
    return view;
  };
  const answer = async (uid: string, choice: ConsentDecision, digest: string, training_allowed = false) =>
    served().oauth.consents.approve(uid, choice, { digest, training_allowed });

  test("the owner sees which client asks, for what purpose, and exactly what the agent would read", async () => {
    const view = await viewOf(await askFor(detail()));
    assert.equal(view.purpose_description, "Answers questions about notes.");
    assert.deepEqual(view.commitments, ["Never sells anything."]);
    assert.deepEqual([view.is_specific, view.asks_training], [true, false]);
    const [stream, ...others] = view.streams;
    assert.ok(stream && others.length === 0);
    assert.deepEqual(stream.fields, ["id", "title", "body", "written_at"]);
    assert.deepEqual([stream.since, stream.record_count], ["2026-01-10T00:00:00.000Z", 22]);
    assert.equal(stream.samples.length, 3);
    assert.match(stream.samples[0] ?? "", /^home\/notes:long\n[\s\S]*read_record_field\(/);
    assert.doesNotMatch(JSON.stringify(view), new RegExp(OUTSIDE));
  });

  test("approval grants what was shown, and the token reads exactly that", async () => {
    const flow = await begin();
    const asked = { authorization_details: JSON.stringify([detail()]) };
    const body = await flow.connect(asked);
    const [granted] = body.authorization_details;
    assert.deepEqual(granted.streams, [
      {
        name: "notes",
        instance_ids: ["home"],
        fields: ["id", "title", "body", "written_at"],
        time_constraint: { field: "written_at", since: "2026-01-10T00:00:00.000Z" },
      },
    ]);
    const seen = (await (
      await read(served(), "/v1/streams/notes/records?limit=100", body.access_token)
    ).json()) as Json;
    assert.equal(seen.data.length, 22);
    assert.doesNotMatch(JSON.stringify(seen), new RegExp(OUTSIDE));
    assert.equal((await read(served(), "/v1/streams/shelves/records", body.access_token)).status, 403);
  });

  test("the owner can narrow the requested scope, and never widen it", async () => {
    const uid = await askFor(detail());
    const narrowed = {
      connection_id: "home",
      stream: "notes",
      fields: ["title", "secret"],
      since: "2025-01-01",
      until: "2026-01-20",
    };
    const foreign = { connection_id: "work", stream: "notes", fields: ["id"] };
    const view = await viewOf(uid, { streams: [narrowed, foreign], expires_in_days: 30 });
    assert.deepEqual(view.decision, {
      streams: [
        {
          connection_id: "home",
          stream: "notes",
          fields: ["id", "title"],
          since: "2026-01-10T00:00:00.000Z",
          until: "2026-01-20T00:00:00.000Z",
        },
      ],
      expires_in_days: 30,
    });
    assert.equal(view.streams[0]?.record_count, 10);
    const result = await answer(uid, view.decision, view.digest);
    assert.equal(result.kind, "granted");
    const grants = await listGrants(served().oauth);
    const made = grants.map(({ grant }) => grant).sort((a, b) => b.issued_at.localeCompare(a.issued_at))[0];
    assert.deepEqual(made?.authorization_details[0]?.streams[0]?.fields, ["id", "title"]);
    assert.ok(made?.expires_at !== undefined);
  });

  test("R80 a request with conditions and records gets no more than these, whatever the owner chooses", async () => {
    const [stream] = detail().streams;
    const where = [{ field: "rating", op: "range", gte: 3 }];
    const uid = await askFor(detail({ streams: [{ ...stream, where, resources: ["n12", "n13", "n14"] }] }));
    const shown = await viewOf(uid);
    const whole = await viewOf(
      await askFor(detail({ streams: [{ ...stream, resources: ["n12", "n13", "n14"] }] })),
    );
    const [narrow = 0, all = 0] = [shown, whole].map((view) => view.streams[0]?.record_count);
    assert.ok(narrow > 0 && narrow < all, `${narrow} of ${all}`);
    const wider = {
      connection_id: "home",
      stream: "notes",
      fields: ["title"],
      where: [],
      resources: ["n12", "n30"],
    };
    const view = await viewOf(uid, { streams: [wider] });
    assert.ok((view.streams[0]?.record_count ?? 9) <= 1);
    assert.equal((await answer(uid, view.decision, view.digest)).kind, "granted");
    const grants = await listGrants(served().oauth);
    const granted = grants
      .flatMap(({ grant }) => grant.authorization_details.flatMap(({ streams }) => streams))
      .find((each) => each.where !== undefined);
    assert.deepEqual([granted?.where, granted?.resources], [where, ["n12"]]);
  });

  test("a view that changed since it was shown is shown again instead of granted", async () => {
    const uid = await askFor(detail());
    const before = await viewOf(uid);
    const added = { id: "new", title: "New", written_at: "2026-06-01T00:00:00Z" };
    const envelope = { stream: "notes", key: "new", emitted_at: "2026-06-01T00:00:00Z", data: added };
    await served().world.store.ingest(served().world.owner_id, "home", [envelope]);
    const result = await answer(uid, before.decision, before.digest);
    assert.equal(result.kind, "shown_again");
    if (result.kind !== "shown_again") return;
    assert.match(result.reason, /changed/);
    assert.equal((await answer(uid, result.view.decision, result.view.digest)).kind, "granted");
    await served().world.store.deleteRecord(served().world.owner_id, "home", "notes", "new");
  });

  test("approval of one decision does not approve another", async () => {
    const uid = await askFor(detail());
    const narrow = { streams: [{ connection_id: "home", stream: "notes", fields: ["title"] }] };
    const { digest } = await viewOf(uid, narrow);
    const whole = (await viewOf(uid)).decision;
    assert.equal((await answer(uid, whole, digest)).kind, "shown_again");
  });

  test("training needs a separate consent", async () => {
    const uid = await askFor(detail({ purpose_code: TRAINING }));
    const view = await viewOf(uid);
    assert.equal(view.asks_training, true);
    const refused = await answer(uid, view.decision, view.digest);
    assert.match(refused.kind === "shown_again" ? refused.reason : "", /train/);
    assert.equal((await answer(uid, view.decision, view.digest, true)).kind, "granted");
  });

  test("another spelling of the training purpose still counts as training", async () => {
    for (const purpose_code of [
      `${TRAINING}/`,
      `${TRAINING}?x`,
      TRAINING.replace("_", "%5F"),
      "urn:x:AI-Training%",
    ]) {
      const { asks_training } = await viewOf(await askFor(detail({ purpose_code })));
      assert.equal(asks_training, true, purpose_code);
    }
    for (const purpose_code of ["https://pdpp.dev/purpose/training_plans", "urn:x:%C3%28"]) {
      assert.equal((await viewOf(await askFor(detail({ purpose_code })))).asks_training, false, purpose_code);
    }
  });

  test("a client that names nothing is offered everything and gets nothing until the owner picks", async () => {
    const uid = await askFor();
    const view = await viewOf(uid);
    assert.equal(view.is_specific, false);
    assert.deepEqual(view.decision.streams, []);
    const offered = view.grantable.map(({ connection_id, streams }) => [
      connection_id,
      streams.map(({ stream }) => stream),
    ]);
    assert.deepEqual(offered, [
      ["home", ["notes", "shelves"]],
      ["work", ["notes", "shelves"]],
    ]);
    const [notes, shelves] = view.grantable[0]?.streams ?? [];
    assert.deepEqual([notes?.label, notes?.has_time, shelves?.has_time], ["Notes", true, false]);
    const required = notes?.fields.filter(({ is_required }) => is_required).map(({ name }) => name);
    assert.deepEqual(required, ["id"]);
    const empty = await answer(uid, view.decision, view.digest);
    assert.match(empty.kind === "shown_again" ? empty.reason : "", /Nothing is chosen/);
    const all = await viewOf(uid, chooseAll(view));
    assert.equal(all.streams.length, 4);
    assert.equal((await answer(uid, all.decision, all.digest)).kind, "granted");
  });

  test("the owner picks a connection if the client names none of several", async () => {
    const uid = await askFor(detail({ streams: [{ name: "notes", fields: ["title"] }] }));
    const view = await viewOf(uid);
    assert.deepEqual(view.decision.streams, []);
    assert.deepEqual(
      view.grantable.map(({ connection_id }) => connection_id),
      ["home", "work"],
    );
  });

  test("one grant may span several sources", async () => {
    const other = { ...library, source: { ...library.source, id: "https://rungs.example/connectors/attic" } };
    await putConnection(served().oauth, "attic", other, "Attic");
    const flow = await begin();
    const details = [detail(), detail({ source: { id: other.source.id }, streams: [{ name: "shelves" }] })];
    const body = await flow.connect({ authorization_details: JSON.stringify(details) });
    assert.equal(body.authorization_details.length, 2);
    const schema = (await (await read(served(), "/v1/schema", body.access_token)).json()) as Json;
    assert.match(JSON.stringify(schema), /attic/);
  });

  test("an invalid request is refused before the owner is asked", async () => {
    const flow = await begin();
    const bad: Json[] = [
      [detail({ unknown: true })],
      [detail({ type: "https://example.org/other" })],
      [detail(), detail({ purpose_code: TRAINING, streams: [{ name: "shelves", instance_ids: ["home"] }] })],
      { not: "a list" },
    ];
    for (const details of [...bad.map((each) => JSON.stringify(each)), "{"]) {
      const url = flow.authorizationUrl({ authorization_details: details });
      const { searchParams } = await new Browser().follow(url);
      assert.equal(searchParams.get("error"), "invalid_authorization_details", details);
    }
  });

  test("the first of two requests for the same stream wins", async () => {
    const wider = detail({ streams: [{ name: "*", instance_ids: ["home"] }] });
    const { grantable } = await viewOf(await askFor(detail(), wider));
    const [notes, shelves] = grantable[0]?.streams ?? [];
    const fields = notes?.fields.map(({ name }) => name);
    assert.deepEqual(fields, ["id", "title", "body", "written_at"]);
    assert.equal(shelves?.stream, "shelves");
  });

  test("a refusal reaches the client, with its state", async () => {
    const flow = await begin();
    const browser = new Browser();
    const uid = await ask(flow.authorizationUrl(), browser);
    const redirect = await served().oauth.consents.deny(uid);
    const { searchParams } = await browser.follow(redirect ?? "");
    const told = ["error", "state", "iss"].map((name) => searchParams.get(name));
    assert.deepEqual(told, ["access_denied", "state-1", served().url]);
    assert.equal(await served().oauth.consents.view(uid), undefined);
    assert.equal(await served().oauth.consents.deny(uid), undefined);
  });

  test("the first of two answers to one request wins", async () => {
    const before = (await listGrants(served().oauth)).length;
    const uid = await askFor(detail());
    const view = await viewOf(uid);
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, () => answer(uid, view.decision, view.digest)),
    );
    assert.equal(answers.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal((await listGrants(served().oauth)).length, before + 1);
    assert.equal(await served().oauth.consents.view(uid), undefined);
    await assert.rejects(answer(uid, view.decision, view.digest), { code: "not_found" });
    assert.equal(await served().oauth.consents.view("unknown"), undefined);
  });

  test("a second request asks again, even in the same browser", async () => {
    const flow = await begin();
    const browser = new Browser();
    const first = await ask(flow.authorizationUrl(), browser);
    const view = await viewOf(first);
    const all = await viewOf(first, chooseAll(view));
    const result = await answer(first, all.decision, all.digest);
    await browser.follow(result.kind === "granted" ? result.redirect_url : "");
    const second = await ask(flow.authorizationUrl(), browser);
    assert.notEqual(second, first);
  });
});
