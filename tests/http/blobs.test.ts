import assert from "node:assert/strict";
import { test } from "node:test";
import { chunk, onEveryEngine } from "../../testing/world.ts";

const TEXT = "picture bytes 0123456789";

onEveryEngine((world) => {
  const path = () => `/v1/blobs/${world().blob.blob_id}`;
  const get = (headers: Record<string, string> = {}, method = "GET") =>
    world().ask(path(), world().client, { method, headers });

  test("R33 a blob is served as a download, never as executable content", async () => {
    const answer = await get();
    assert.equal(await answer.text(), TEXT);
    const headers = Object.fromEntries(answer.headers);
    for (const [name, value] of Object.entries({
      "content-type": "text/html",
      "content-length": String(TEXT.length),
      "content-disposition": "attachment",
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-store",
      "accept-ranges": "bytes",
      etag: `"${world().blob.sha256}"`,
    })) {
      assert.equal(headers[name], value, name);
    }
  });

  test("R33 HEAD gives the same headers and no body", async () => {
    const [head, full] = [await get({}, "HEAD"), await get()];
    assert.equal(head.status, 200);
    assert.equal(head.body, null);
    for (const name of ["Content-Length", "Content-Type", "ETag", "Accept-Ranges"]) {
      assert.equal(head.headers.get(name), full.headers.get(name), name);
    }
    const part = await get({ Range: "bytes=0-3" }, "HEAD");
    assert.deepEqual([part.status, part.headers.get("Content-Length")], [206, "4"]);
  });

  test("R33 one range is 206, and one outside is 416 with the size", async () => {
    for (const [range, text, content] of [
      ["bytes=0-6", "picture", "bytes 0-6/24"],
      ["bytes=14-", "0123456789", "bytes 14-23/24"],
      ["bytes=-3", "789", "bytes 21-23/24"],
      ["bytes=-999", TEXT, "bytes 0-23/24"],
      ["bytes=20-999", "6789", "bytes 20-23/24"],
      ["bytes=0-0", "p", "bytes 0-0/24"],
    ] as const) {
      const answer = await get({ Range: range });
      assert.deepEqual(
        [answer.status, await answer.text(), answer.headers.get("Content-Range")],
        [206, text, content],
        range,
      );
    }
    for (const range of ["bytes=24-", "bytes=5-4", "bytes=-0"]) {
      const answer = await get({ Range: range });
      assert.deepEqual([answer.status, answer.headers.get("Content-Range")], [416, "bytes */24"], range);
    }
  });

  test("an unsupported form of Range is refused, never guessed", async () => {
    for (const range of ["bytes=0-1,3-4", "lines=0-1", "bytes=a-b", "bytes=", "0-1"]) {
      const { status, code, error } = await world().refusal(path(), undefined, { headers: { Range: range } });
      assert.deepEqual([status, code, error.param], [400, "invalid_request", "range"], range);
    }
  });

  test("a matching ETag gives 304 without bytes", async () => {
    const etag = `"${world().blob.sha256}"`;
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const answer = await get({ "If-None-Match": known });
      assert.deepEqual([answer.status, answer.body, answer.headers.get("ETag")], [304, null, etag], known);
    }
    assert.equal((await get({ "If-None-Match": '"other"' })).status, 200);
    assert.equal((await get({ "If-Range": '"other"', Range: "bytes=0-1" })).status, 200);
    assert.equal((await get({ "If-Range": etag, Range: "bytes=0-1" })).status, 206);
  });

  test("R33 R54 a blob is readable only through a granted field of a granted record", async () => {
    const fields = ["id", "title"];
    const without = await world().allow([{ name: "notes", instance_ids: ["home"], fields }]);
    const elsewhere = await world().allow([{ name: "notes", instance_ids: ["work"] }]);
    const other = await world().allow([{ name: "notes", instance_ids: ["home"], resources: ["n1"] }]);
    for (const { token } of [without, elsewhere, other]) {
      const { status, code } = await world().refusal(path(), token);
      assert.deepEqual([status, code], [404, "blob_not_found"]);
    }
    const unreferred = await world().store.putBlob(
      world().owner_id,
      "home",
      chunk("nobody refers to this"),
      "text/plain",
    );
    assert.equal(
      (await world().refusal(`/v1/blobs/${unreferred.blob_id}`, world().owner)).code,
      "blob_not_found",
    );
  });

  test("records contain the links to their blobs", async () => {
    const { data } = await world().json("/v1/streams/notes/records/picture");
    assert.equal(data.picture.fetch_url, path());
    assert.equal((await world().ask(data.picture.fetch_url)).status, 200);
  });

  test("a large blob is streamed in chunks", async () => {
    const { store, owner_id } = world();
    async function* bytes() {
      for (let at = 0; at < 40; at += 1) yield Buffer.alloc(100_000, at);
    }
    const { blob_id, mime_type, size_bytes, sha256 } = await store.putBlob(
      owner_id,
      "home",
      bytes(),
      "bad type\r\nX: y",
    );
    const data = { id: "large", picture: { blob_id, mime_type, size_bytes, sha256 } };
    await store.ingest(owner_id, "home", [
      { stream: "notes", key: "large", emitted_at: "2026-05-01T00:00:00Z", data },
    ]);
    const answer = await world().ask(`/v1/blobs/${blob_id}`);
    assert.equal(answer.headers.get("Content-Type"), "application/octet-stream");
    let [pieces, size] = [0, 0];
    for await (const piece of answer.body ?? []) {
      pieces += 1;
      size += piece.length;
      assert.ok(piece.length <= 1024 * 1024);
    }
    assert.equal(size, 4_000_000);
    assert.ok(pieces > 4);
    await store.deleteRecord(owner_id, "home", "notes", "large");
  });
});
