import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { exampleManifest as mail } from "../manifest/example-manifest.ts";
import type { Grant, GrantStream } from "./grant.ts";
import { grantKey, narrowScope, ownerScope, resolveScope, type ScopeChoice } from "./grant-scope.ts";
import type { ReadScope } from "./read-scope.ts";

const now_ms = Date.UTC(2026, 3, 1);

function grant(streams: GrantStream[], members: Partial<Grant> = {}): Grant {
  const type = "https://pdpp.dev/data-access";
  return {
    version: "0.1.0",
    grant_id: "g1",
    issued_at: "2026-01-01T00:00:00Z",
    subject: { id: "me" },
    client: { client_id: "c1" },
    access_mode: "continuous",
    purpose_code: "https://pdpp.dev/purpose/assistance",
    authorization_details: [{ type, source: mail.source, source_declaration: { version: "1" }, streams }],
    ...members,
  };
}

const messages: GrantStream = { name: "messages", instance_ids: ["home", "work"], fields: ["id", "subject"] };
const labels: GrantStream = { name: "labels", instance_ids: ["home"], fields: ["account"] };

test("R51 a grant becomes one entry for each connection and stream, with its limits", () => {
  const time_constraint = { field: "sent_at", since: "2026-01-01T00:00:00Z" };
  const limited = { ...messages, time_constraint, resources: ["m1"] };
  assert.deepEqual(resolveScope("me", [grant([limited, labels])], now_ms), {
    owner_id: "me",
    streams: [
      ...["home", "work"].map((connection_id) => ({
        connection_id,
        stream: "messages",
        fields: ["id", "subject"],
        time: { since_ms: Date.UTC(2026, 0, 1), until_ms: undefined },
        record_ids: ["m1"],
      })),
      { connection_id: "home", stream: "labels", fields: ["account"] },
    ],
  });
});

test("R52 a grant allows nothing from the millisecond at which it expires", () => {
  const expires_at = new Date(now_ms).toISOString();
  const expired = grant([messages], { expires_at });
  assert.throws(() => resolveScope("me", [expired], now_ms), { code: "grant_expired" });
  assert.equal(resolveScope("me", [expired], now_ms - 1).streams.length, 2);
  assert.equal(resolveScope("me", [expired, grant([labels], { grant_id: "g2" })], now_ms).streams.length, 1);
});

test("a grant of another owner, a grant with an invalid time, and no grant are invalid", () => {
  const broken = { ...messages, time_constraint: { field: "sent_at", since: "whenever" } };
  for (const grants of [[], [grant([messages], { subject: { id: "you" } })], [grant([broken])]]) {
    assert.throws(() => resolveScope("me", grants, now_ms), { code: "grant_invalid" });
  }
  assert.throws(() => resolveScope("me", [grant([messages], { expires_at: "never" })], now_ms), {
    code: "grant_invalid",
  });
});

test("grants that cover the same stream of the same connection are refused, not merged", () => {
  assert.throws(
    () => resolveScope("me", [grant([messages]), grant([{ ...messages, fields: ["body"] }])], now_ms),
    {
      code: "grant_conflict",
    },
  );
});

test("an owner's scope covers every declared field", () => {
  const { streams } = ownerScope("me", [{ connection_id: "home", manifest: mail }]);
  assert.deepEqual(
    streams.map(({ stream, fields }) => [stream, fields.length]),
    [
      ["messages", 10],
      ["labels", 3],
    ],
  );
});

test("R24 a grant's key stays the same for the same grants and differs with what they allow", () => {
  const first = grant([messages]);
  const second = grant([labels], { grant_id: "g2" });
  assert.equal(grantKey([first, second]), grantKey([second, first]));
  assert.notEqual(grantKey([first]), grantKey([second]));
  assert.notEqual(grantKey([first]), grantKey([grant([{ ...messages, fields: ["id"] }])]));
  assert.notEqual(grantKey([first]), grantKey([{ ...first, grant_id: "g3" }]));
});

const scope = resolveScope("me", [grant([messages, labels])], now_ms);

test("a scope narrows to a connection, a stream and fields", () => {
  assert.deepEqual(
    narrowScope(scope, { connection_id: "home", stream: "messages", fields: ["subject"] }).streams,
    [{ connection_id: "home", stream: "messages", fields: ["subject"] }],
  );
  assert.deepEqual(narrowScope(scope, {}), scope);
});

test("R54 names outside the scope get the same error, whether or not they exist", () => {
  const refusalOf = (choice: ScopeChoice): unknown => {
    try {
      return narrowScope(scope, choice);
    } catch (error) {
      const { code, message, details } = error as { code: string; message: string; details: object };
      return { code, message, details };
    }
  };
  assert.deepEqual(
    refusalOf({ connection_id: "work", stream: "labels" }),
    refusalOf({ connection_id: "no", stream: "no" }),
  );
  assert.deepEqual(
    refusalOf({ stream: "messages", fields: ["body"] }),
    refusalOf({ stream: "messages", fields: ["no"] }),
  );
  assert.throws(() => narrowScope(scope, { connection_id: "elsewhere" }), {
    code: "grant_stream_not_allowed",
  });
  assert.throws(() => narrowScope(scope, { stream: "messages", fields: ["body"] }), {
    code: "field_not_granted",
  });
  assert.throws(() => narrowScope(scope, { stream: "messages", fields: ["account"] }), {
    code: "field_not_granted",
  });
});

test("R54 narrowing never widens", () => {
  const name = fc.constantFrom("a", "b", "c");
  const entry = fc.record({
    connection_id: name,
    stream: name,
    fields: fc.uniqueArray(name, { minLength: 1 }),
  });
  const scopes = fc
    .uniqueArray(entry, { selector: ({ connection_id, stream }) => `${connection_id}/${stream}` })
    .map((streams): ReadScope => ({ owner_id: "me", streams }));
  const choices = fc.record(
    { connection_id: name, stream: name, fields: fc.uniqueArray(name) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(scopes, choices, (wide, choice) => {
      let narrow: ReadScope;
      try {
        narrow = narrowScope(wide, choice);
      } catch {
        return;
      }
      for (const each of narrow.streams) {
        const whole = wide.streams.find(
          ({ connection_id, stream }) => connection_id === each.connection_id && stream === each.stream,
        );
        assert.ok(whole && each.fields.every((field) => whole.fields.includes(field)));
        assert.ok(choice.connection_id === undefined || each.connection_id === choice.connection_id);
        assert.ok(choice.stream === undefined || each.stream === choice.stream);
        assert.ok(
          !choice.fields || each.fields.every((field) => choice.fields?.some((one) => one === field)),
        );
      }
    }),
  );
});
