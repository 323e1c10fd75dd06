/** Downloads stream, appear once complete, and resume after an interruption. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { rungs } from "../../testing/cli/program.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";

const BYTES = "picture bytes 0123456789";
let served: ServedWorld;
let folder: string;
before(async () => {
  served = await serveWorld("sqlite");
  folder = mkdtempSync(join(tmpdir(), "rungs-files-"));
});
after(async () => {
  await served?.close();
  rmSync(folder, { recursive: true });
});

const ask = (argv: string[], RUNGS_URL = served.url) =>
  rungs(argv, { RUNGS_URL, RUNGS_TOKEN: served.world.client });
const at = (name: string) => join(folder, name);
const blobId = () => served.world.blob.blob_id;

test("blob writes to standard output, to a file, and ranges of it", async () => {
  const [piped, part, saved, about] = await Promise.all([
    ask(["blob", blobId()]),
    ask(["blob", blobId(), "--range", "8-12"]),
    ask(["blob", blobId(), "-o", at("whole")]),
    ask(["blob", blobId(), "--json"]),
  ]);
  assert.deepEqual([piped.out, part.out], [BYTES, "bytes"]);
  assert.deepEqual([saved.code, readFileSync(at("whole"), "utf8")], [0, BYTES], saved.err);
  assert.equal(statSync(at("whole")).mode & 0o777, 0o600);
  assert.deepEqual(JSON.parse(about.out), {
    blob_id: blobId(),
    mime_type: "text/html",
    size_bytes: BYTES.length,
  });
});

test("blob resumes an interrupted download", async () => {
  writeFileSync(at("half.part"), BYTES.slice(0, 10));
  const { out } = await ask(["blob", blobId(), "-o", at("half"), "--json"]);
  assert.equal(JSON.parse(out).resumed_bytes, 10);
  assert.deepEqual([readFileSync(at("half"), "utf8"), existsSync(at("half.part"))], [BYTES, false]);
});

test("blob starts over if the part file belongs to another blob or is too long, and accepts a complete one", async () => {
  writeFileSync(at("other.part"), "something");
  writeFileSync(at("longer.part"), `${BYTES} and more`);
  writeFileSync(at("same.part"), BYTES);
  await Promise.all(
    ["other", "longer", "same"].map(async (name) => {
      assert.equal((await ask(["blob", blobId(), "-o", at(name)])).code, 0);
      assert.equal(readFileSync(at(name), "utf8"), BYTES);
    }),
  );
});

test("a broken connection is exit code 4, keeps the bytes received, and leaves no incomplete file", async (t) => {
  const broken = await serveHalf();
  t.after(() => broken.close());
  const { port } = broken.address() as AddressInfo;
  const { code, err } = await ask(["blob", blobId(), "-o", at("broken")], `http://127.0.0.1:${port}`);
  assert.deepEqual([code, existsSync(at("broken"))], [4, false], err);
  assert.match(err, /broke after \d+ of 24 bytes; run the same command again to resume/);
  assert.equal((await ask(["blob", blobId(), "-o", at("broken")])).code, 0);
  assert.equal(readFileSync(at("broken"), "utf8"), BYTES);
});

test("export writes every granted record and its last line; a retry starts over and says so", async () => {
  writeFileSync(at("all.ndjson.part"), "half a line");
  const { code, err, out } = await ask(["export", "--stream", "notes", "-o", at("all.ndjson"), "--json"]);
  assert.equal(code, 0, err);
  assert.match(err, /starts from the beginning/);
  const lines = readFileSync(at("all.ndjson"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const wire = (await (await served.world.ask("/v1/export?stream=notes")).text()).trim().split("\n");
  assert.deepEqual(
    lines,
    wire.map((line) => JSON.parse(line)),
  );
  assert.equal(JSON.parse(out).record_count, lines.length - 1);
  assert.equal(existsSync(at("all.ndjson.part")), false);
});

test("a missing folder is reported", async () => {
  const { code, err } = await ask(["export", "-o", at("no/such/folder")]);
  assert.deepEqual([code, /There is no folder/.test(err)], [2, true], err);
});

/** A server that closes the connection in the middle of a file. */
function serveHalf(): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((_, response) => {
      response.writeHead(200, { "Content-Type": "text/html", "Content-Length": BYTES.length });
      response.write(BYTES.slice(0, 7), () => setTimeout(() => response.destroy(), 50));
    }).listen(0, "127.0.0.1", () => resolve(server));
  });
}
