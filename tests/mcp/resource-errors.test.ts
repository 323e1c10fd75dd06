/** The error for an unreadable resource names a readable URI. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatFieldWindowUri, type WindowSelector } from "@rungs/evidence";
import { connectApp } from "../../testing/mcp/connect.ts";
import { openConnected } from "./connected.ts";

const LONG = { connection_id: "home", stream: "notes", record_id: "long", field_path: "body" };
const START = { kind: "offset", offset_chars: 0 } as const;

describe("resource errors", () => {
  const on = openConnected();

  const uriOf = (selector: WindowSelector) => formatFieldWindowUri({ ...LONG, selector });
  const refusalOf = async (uri: string) => {
    const error = await on.client.readResource({ uri }).then(
      () => assert.fail("it was read"),
      (thrown: Error & { data?: { code?: string; uris?: string[] } }) => thrown,
    );
    return { text: error.message, code: error.data?.code, uris: error.data?.uris };
  };
  const textOf = async (uri: string) => {
    const [content] = (await on.client.readResource({ uri })).contents;
    return JSON.parse(content && "text" in content ? content.text : "").window.text as string;
  };

  test("R24 R40 the error for a URI with an expired or foreign cursor names the URI that starts again", async (t) => {
    const other = await connectApp(on.served.world.app, (await on.served.allowBoth()).token);
    t.after(() => other.close());
    const [content] = (await other.readResource({ uri: uriOf(START) })).contents;
    const foreign = JSON.parse(content && "text" in content ? content.text : "").resource.next_uri as string;
    const [made, cut] = ["made-up", ""].map((cursor) => uriOf({ kind: "cursor", cursor }));
    for (const uri of [foreign, made!, cut!]) {
      const { text, code, uris } = await refusalOf(uri);
      assert.match(code ?? "", /^(?:cursor_foreign|invalid_cursor)$/);
      assert.deepEqual(uris, [uriOf(START)]);
      assert.ok(text.endsWith(`\ntry: ${uriOf(START)}`), text);
      assert.match(await textOf(uris[0]!), /^line 0/i);
    }
  });

  test("R40 the suggested URI keeps the requested size and drops a query that does not match", async () => {
    const sized = { limit_chars: 10 } as const;
    const stale = await refusalOf(uriOf({ kind: "cursor", cursor: "made-up", ...sized }));
    assert.deepEqual(stale.uris, [uriOf({ ...START, ...sized })]);
    const around = { before_chars: 5, after_chars: 5 };
    const missed = await refusalOf(uriOf({ kind: "match", q: "no such words here", ...around }));
    assert.deepEqual([missed.code, missed.uris], ["match_not_found", [uriOf(START)]]);
  });

  test("R33 R40 the window of a binary field leads to the resource with its bytes", async () => {
    const ref = { connection_id: "home", stream: "notes", record_id: "raw", field_path: "raw" };
    const { text, code, uris } = await refusalOf(formatFieldWindowUri({ ...ref, selector: START }));
    assert.equal(code, "field_not_text");
    assert.match(text, /^field_not_text: .*\ntry: pdpp:\/\/blob\//s);
    const [content] = (await on.client.readResource({ uri: uris?.[0] ?? "" })).contents;
    assert.equal(
      content && "blob" in content ? Buffer.from(content.blob, "base64").toString() : "",
      "png".repeat(3000),
    );
  });

  test("names no URI if none would help", async () => {
    const uri = formatFieldWindowUri({ ...LONG, field_path: "nothing", selector: START });
    const { text, uris } = await refusalOf(uri);
    assert.doesNotMatch(text, /pdpp:/);
    assert.deepEqual(uris ?? [], []);
  });
});
