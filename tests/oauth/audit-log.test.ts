/** Consents in the audit log: which clients got a grant or a refusal, and how a grant ended. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listAudit, revokeGrant } from "@rungs/server";
import { agree, ask, Flow, onEveryServer, post, register } from "../../testing/oauth/served.ts";

onEveryServer((served) => {
  const begin = async () => new Flow(served(), await register(served()));
  /** A client's audit entries except its reads, oldest first. */
  const eventsOf = async ({ client_id }: Flow) => {
    const rows = await listAudit(served().oauth, { client_id, limit: 100 });
    return rows.map(({ operation, status }) => `${operation} ${status}`).reverse();
  };
  const grantOf = async ({ client_id }: Flow) => {
    const [row] = await listAudit(served().oauth, { client_id, limit: 1 });
    return row?.grant_id ?? "";
  };

  test("R55 the audit log records a consent and the end of its grant, each once", async () => {
    const flow = await begin();
    await flow.connect();
    assert.deepEqual(await eventsOf(flow), ["consent_given 200"]);
    const grant_id = await grantOf(flow);
    for (const isFirst of [true, false]) assert.equal(await revokeGrant(served().oauth, grant_id), isFirst);
    assert.deepEqual(await eventsOf(flow), ["consent_given 200", "grant_revoked 200"]);
    const rows = await listAudit(served().oauth, { grant_id, limit: 9 });
    assert.equal(rows.length, 2);
  });

  test("R55 the audit log records a refused consent", async () => {
    const flow = await begin();
    const uid = await ask(flow.authorizationUrl());
    await served().oauth.consents.deny(uid);
    await served().oauth.consents.deny(uid);
    assert.deepEqual(await eventsOf(flow), ["consent_refused 403"]);
  });

  test("R55 the audit log records a replayed refresh token or code that ended a grant", async () => {
    const flow = await begin();
    const { refresh_token } = await flow.connect();
    await flow.refresh(refresh_token);
    assert.deepEqual(await eventsOf(flow), ["consent_given 200"], "a refresh is nothing to tell");
    await flow.refresh(refresh_token);
    await flow.refresh(refresh_token);
    assert.deepEqual(await eventsOf(flow), ["consent_given 200", "token_reused 400"]);
    const other = await begin();
    const code = (await agree(served(), other.authorizationUrl())).searchParams.get("code") ?? "";
    for (let times = 0; times < 2; times += 1) await other.exchange(code);
    assert.deepEqual(await eventsOf(other), ["consent_given 200", "token_reused 400"]);
  });

  test("R55 the audit log records many concurrent replays once", async () => {
    const flow = await begin();
    const { refresh_token } = await flow.connect();
    await Promise.all([1, 2, 3, 4].map(() => flow.refresh(refresh_token)));
    assert.deepEqual(await eventsOf(flow), ["consent_given 200", "token_reused 400"]);
  });

  test("R55 a client that revokes its token is not recorded as a replay", async () => {
    const flow = await begin();
    const { refresh_token } = await flow.connect();
    const { client_id } = flow;
    const { status } = await post(`${served().url}/oauth/revoke`, { client_id, token: refresh_token });
    assert.equal(status, 200);
    assert.deepEqual(await eventsOf(flow), ["consent_given 200", "grant_returned 200"]);
  });

  test("R53 no entry of the audit log holds a secret", async () => {
    const flow = await begin();
    const { access_token, refresh_token } = await flow.connect();
    const rows = JSON.stringify(await listAudit(served().oauth, { limit: 1000 }));
    assert.ok(!rows.includes(access_token) && !rows.includes(refresh_token));
  });
});
