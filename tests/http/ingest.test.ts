import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, onEveryEngine } from "../../testing/world.ts";

const path = "/v1/connections/home/records";
type Body = NonNullable<RequestInit["body"]>;

const emitted_at = "2026-06-01T00:00:00Z";

function line(key: string, data: Record<string, unknown> = {}, more: Record<string, unknown> = {}): string {
  return JSON.stringify({ stream: "notes", key, emitted_at, data: { id: key, ...data }, ...more });
}

/** Text in chunks that split lines and characters anywhere. */
function inPieces(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(text);
  return ReadableStream.from(
    (async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })(),
  );
}

onEveryEngine((world) => {
  const send = (body: Body, type = "application/x-ndjson", to = path) => {
    const init = { method: "POST", headers: { "Content-Type": type }, body, duplex: "half" };
    return world().ask(to, world().owner, init as RequestInit);
  };
  const taken = async (body: Body): Promise<Json> => (await send(body)).json();

  test("records are ingested line by line, and the same lines again change nothing", async () => {
    const body = `${line("i1", { title: "é漢😀" })}\n\r\n\n${line("i2")}\r\n${line("i3")}`;
    const counts = {
      object: "ingest_result",
      connection_id: "home",
      added: 3,
      changed: 0,
      unchanged: 0,
      deleted: 0,
      rejected: 0,
      rejections: [],
    };
    assert.deepEqual(await taken(inPieces(body, 3)), counts);
    assert.deepEqual(await taken(body), { ...counts, added: 0, unchanged: 3 });
    assert.equal((await world().json("/v1/streams/notes/records/i1")).data.title, "é漢😀");
    const change = `${line("i1", { title: "new" })}\n${JSON.stringify({ stream: "notes", key: "i2", emitted_at, op: "delete" })}`;
    assert.deepEqual(await taken(change), { ...counts, added: 0, changed: 1, deleted: 1 });
  });

  test("a bad line is rejected by number and rule without its content, and the other lines are stored", async () => {
    const lines = [
      "not json insidemarker",
      line("j1"),
      '{"stream":"notes"}',
      line("j2", { unknown: "insidemarker" }),
      line("j3", { id: "other" }),
      line("j4", {}, { stream: "nothing" }),
      line("j5", { title: "\ud800" }),
      "[1]",
      line("j6", { picture: { blob_id: "x", mime_type: "a/b", size_bytes: 1, sha256: "x" } }),
      line("j7"),
    ];
    const answer = await taken(lines.join("\n"));
    assert.deepEqual([answer.added, answer.rejected], [2, 8]);
    assert.deepEqual(
      answer.rejections.map(({ line: at, code }: Json) => [at, code]),
      [
        [1, "invalid_record"],
        [3, "invalid_record"],
        [4, "invalid_record"],
        [5, "invalid_record"],
        [6, "unknown_stream"],
        [7, "invalid_text"],
        [8, "invalid_record"],
        [9, "blob_not_found"],
      ],
    );
    assert.doesNotMatch(JSON.stringify(answer), /insidemarker/);
    const bytes = Buffer.concat([
      Buffer.from(`${line("j8")}\n{"a":"`),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(`"}\n${line("j9")}`),
    ]);
    const mixed = await taken(bytes);
    assert.deepEqual(
      [mixed.added, mixed.rejections[0].line, mixed.rejections[0].code],
      [2, 2, "invalid_text"],
    );
  });

  test("only the first rejections are listed, but all are counted", async () => {
    const answer = await taken("x\n".repeat(250));
    assert.deepEqual([answer.rejected, answer.rejections.length], [250, 100]);
  });

  test("many records are ingested in batches, and none is lost", async () => {
    const body = Array.from({ length: 1300 }, (_, at) => line(`b${at}`, { rating: at })).join("\n");
    assert.equal((await taken(inPieces(body, 10_007))).added, 1300);
    const { groups } = await world().json(
      "/v1/streams/notes/aggregate?metric=count&filter=id%3E%3Db0&filter=id%3Cc",
    );
    assert.equal(groups[0].value, 1300);
  });

  test("a request that cannot succeed is refused before its body is read", async () => {
    const code = async (answer: Response) => [answer.status, ((await answer.json()) as Json).error.code];
    assert.deepEqual(await code(await send("{}", "application/json")), [415, "unsupported_media_type"]);
    assert.deepEqual(await code(await send("", "application/x-ndjson", "/v1/connections/nowhere/records")), [
      404,
      "connection_not_found",
    ]);
    assert.deepEqual((await taken("")).added, 0);
  });

  test("the owner deletes a record once, and it leaves a tombstone", async () => {
    await taken(line("gone"));
    let page = await world().json("/v1/streams/notes/records?limit=100");
    while (page.has_more)
      page = await world().json(`/v1/streams/notes/records?limit=100&cursor=${page.next_cursor}`);
    const since = page.next_changes_since;
    const target = "/v1/streams/notes/records/gone?connection_id=home";
    const deleted = await world().ask(target, world().owner, { method: "DELETE" });
    assert.deepEqual([deleted.status, await deleted.text()], [204, ""]);
    assert.equal((await world().refusal(target, world().owner, { method: "DELETE" })).code, "not_found");
    const unscoped = await world().refusal("/v1/streams/notes/records/n1", world().owner, {
      method: "DELETE",
    });
    assert.equal(unscoped.code, "ambiguous_connection");
    const changes = await world().json(`/v1/streams/notes/records?changes_since=${since}`);
    assert.deepEqual(
      changes.data.map(({ id, deleted }: Json) => [id, deleted]),
      [["gone", true]],
    );
  });
});

onEveryEngine(
  (world) => {
    const send = (body: Body, headers: Record<string, string> = {}) => {
      const init = {
        method: "POST",
        headers: { "Content-Type": "application/x-ndjson", ...headers },
        body,
        duplex: "half",
      };
      return world().ask(path, world().owner, init as RequestInit);
    };

    test("a line longer than the limit is rejected, and the lines around it are stored", async () => {
      const body = [line("k1"), line("k2", { body: "x".repeat(5000) }), line("k3")].join("\n");
      const answer = (await (await send(inPieces(body, 100))).json()) as Json;
      assert.deepEqual(
        [answer.added, answer.rejected, answer.rejections[0].line, answer.rejections[0].code],
        [2, 1, 2, "record_too_large"],
      );
    });

    test("a body larger than the limit is 413, reports what was stored, and can be sent again", async () => {
      const body = Array.from({ length: 700 }, (_, at) => line(`l${at}`)).join("\n");
      const answer = await send(inPieces(body, 1000));
      const { error } = (await answer.json()) as Json;
      assert.deepEqual([answer.status, error.code, error.max_bytes], [413, "request_too_large", 50_000]);
      assert.equal(error.added, 500);
      const declared = await send("", { "Content-Length": "60000" });
      assert.equal(declared.status, 413);
    });

    test("a body that pauses for too long is 408", async () => {
      const body = ReadableStream.from(
        (async function* () {
          yield Buffer.from(`${line("m1")}\n`);
          await new Promise(() => undefined);
        })(),
      );
      const answer = await send(body);
      assert.deepEqual([answer.status, ((await answer.json()) as Json).error.code], [408, "request_timeout"]);
    });

    test("a truncated body is refused", async () => {
      const body = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
      const answer = await send(body);
      assert.equal(answer.status, 400);
    });
  },
  { limits: { line_bytes: 2000, body_bytes: 50_000, idle_ms: 200 } },
);
