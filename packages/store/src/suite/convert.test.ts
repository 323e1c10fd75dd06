/** Encrypting, rekeying and decrypting a file: complete, verified, and locked against other programs. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { test } from "node:test";
import { createFilePlace, type Place } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER } from "../../../../testing/store/world.ts";
import { convertSqlite } from "../sqlite/open.ts";
import type { TableDigest } from "../store.ts";

const [KEY, OTHER] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(9)];
const SECRET = "zwetschgendatschi";

async function createFilled(): Promise<Place> {
  const place = createFilePlace();
  const store = await place.open();
  await createOwner(store);
  const body = `${SECRET} 梅のケーキ `.repeat(2_000);
  await ingest(
    store,
    Array.from({ length: 40 }, (_, at) => message(`m${at}`, { subject: SECRET, body })),
  );
  await store.appendAudit(OWNER, [
    {
      at: "2026-06-01T00:00:00Z",
      request_id: "r",
      client_id: SECRET,
      operation: "search",
      status: 200,
      bytes: 1,
    },
  ]);
  await store.close();
  return place;
}

function convert(
  { address: file }: Place,
  from: Uint8Array | undefined,
  to: Uint8Array | undefined,
  replace?: () => void,
): Promise<TableDigest[]> {
  const part = `${file}.part`;
  return convertSqlite({ file, part, from, to, replace: replace ?? (() => renameSync(part, file)) });
}

const hasSecret = ({ address }: Place) => readFileSync(address).includes(SECRET);

test("R95 encrypted, under another key, and decrypted again, a file has the same rows", async (t) => {
  const place = await createFilled();
  t.after(() => place.remove());
  const digests = await convert(place, undefined, KEY);
  assert.ok(digests.find(({ table }) => table === "records")?.row_count === 40);
  assert.equal(hasSecret(place), false);
  assert.deepEqual(await convert(place, KEY, OTHER), digests);
  await assert.rejects(place.open({ key: KEY }), { code: "key_wrong" });
  assert.equal(hasSecret(place), false);
  const sealed = await place.open({ key: OTHER });
  assert.deepEqual(await sealed.check(OWNER), []);
  assert.deepEqual((await sealed.checkAudit(OWNER)).problem, undefined);
  await sealed.close();
  assert.deepEqual(await convert(place, OTHER, undefined), digests);
  assert.equal(hasSecret(place), true);
  const plain = await place.open();
  assert.deepEqual(await plain.check(OWNER), []);
  await plain.close();
});

test("R95 no other program opens a file while it is converted, and a used file is not converted", async (t) => {
  const place = await createFilled();
  t.after(() => place.remove());
  const open = `const database = new (require("node:sqlite").DatabaseSync)(process.argv[1], { timeout: 50 }); database.prepare("SELECT count(*) FROM records").get()`;
  const failed = await convert(place, undefined, KEY, () => {
    assert.throws(
      () => execFileSync(process.execPath, ["-e", open, place.address], { stdio: "pipe" }),
      /locked/,
    );
    throw new Error("ended early");
  }).catch((error: Error) => error);
  assert.match(String(failed), /ended early/);
  assert.equal(existsSync(`${place.address}.part`), false);
  const store = await place.open();
  assert.deepEqual(await store.check(OWNER), []);
  await store.close();
  // Another process: locks of two drivers in one process do not exclude each other.
  const user = spawn(process.execPath, [
    "-e",
    `${open}; console.log("open"); setInterval(() => 0, 1000)`,
    place.address,
  ]);
  t.after(() => user.kill());
  await once(user.stdout, "data");
  await assert.rejects(convert(place, undefined, KEY), { code: "database_busy" });
  assert.equal(hasSecret(place), true);
});

test("R95 a wrong key converts nothing", async (t) => {
  const place = await createFilled();
  t.after(() => place.remove());
  await assert.rejects(convert(place, KEY, undefined), { code: "database_not_encrypted" });
  await convert(place, undefined, KEY);
  await assert.rejects(convert(place, OTHER, undefined), { code: "key_wrong" });
  await assert.rejects(convert(place, undefined, OTHER), { code: "key_missing" });
  await (await place.open({ key: KEY })).close();
});
