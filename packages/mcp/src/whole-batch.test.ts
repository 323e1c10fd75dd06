import assert from "node:assert/strict";
import { test } from "node:test";
import { dropSelfCancellations } from "./http.ts";
import { readRpcMessages } from "./rpc-messages.ts";

const post = (body: string) => new Request("http://localhost/mcp", { method: "POST", body });
const keep = async (request: Request) =>
  dropSelfCancellations(request, (await readRpcMessages(request)).messages);
const call = { jsonrpc: "2.0", id: 1, method: "tools/call" };
const callOff = (requestId: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});

test("a batch that cancels its own request keeps only the request", async () => {
  const kept = await keep(post(JSON.stringify([call, callOff(1), callOff(2)])));
  assert.deepEqual(await kept.json(), [call, callOff(2)]);
});

test("anything else passes unchanged", async () => {
  const large = `[${"1,".repeat(600_000)}1]`;
  for (const body of [JSON.stringify(call), JSON.stringify([call, callOff(7)]), "[", "[null]", "", large]) {
    const request = post(body);
    const kept = await keep(request);
    assert.equal(kept, request);
    assert.equal(await kept.text(), body);
  }
  const get = new Request("http://localhost/mcp");
  assert.equal(await keep(get), get);
});
