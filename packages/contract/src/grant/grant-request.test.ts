import assert from "node:assert/strict";
import { test } from "node:test";
import { requireSelectionRequests } from "./grant-request.ts";

test("malformed authorization_details are refused with the location", () => {
  const request = {
    type: "https://pdpp.dev/data-access",
    source: { id: "https://rungs.example/connectors/mail" },
    purpose_code: "https://pdpp.dev/purpose/assistance",
    access_mode: "continuous",
    streams: [{ name: "messages" }],
  };
  assert.deepEqual(requireSelectionRequests([request]), [request]);
  const cases: [unknown, string][] = [
    [[], "authorization_details"],
    [[{ ...request, type: "other" }], "authorization_details[0].type"],
    [[request, { ...request, purpose_code: "research" }], "authorization_details[1].purpose_code"],
    [
      [{ ...request, streams: [{ name: "messages", instance_ids: ["a/b"] }] }],
      "authorization_details[0].streams[0].instance_ids[0]",
    ],
    [[{ ...request, actions: ["write"] }], "authorization_details[0].actions"],
  ];
  for (const [value, param] of cases) {
    assert.throws(
      () => requireSelectionRequests(value),
      (error: { code?: string; details?: { param?: string } }) => {
        assert.deepEqual(
          { code: error.code, param: error.details?.param },
          { code: "invalid_request", param },
        );
        return true;
      },
    );
  }
});
