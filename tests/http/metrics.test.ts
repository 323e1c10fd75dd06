/** Metrics are for the owner: counts under an owner token, nothing under any other. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DATA_ACCESS_TYPE, type SelectionRequest } from "@rungs/contract";
import { createGrant, createOwnerToken, ensureOwner, putConnection } from "@rungs/server";
import { openApp } from "rungs/internal/open-app";
import { engines, openTestStore } from "../../testing/engines.ts";
import { library } from "../../testing/library.ts";

const deploy = new URL("../../deploy/", import.meta.url);

for (const engine of Object.keys(engines)) {
  test(`R17 metrics on ${engine}: an owner token reads counts; a client or an anonymous caller learns nothing`, async (t) => {
    const { store, close } = await openTestStore(engine);
    t.after(close);
    const owner = { store, owner_id: await ensureOwner(store), now: Date.now };
    await putConnection(owner, "shelf", library, undefined);
    const home = mkdtempSync(join(tmpdir(), "rungs-metrics-"));
    t.after(() => rmSync(home, { recursive: true }));
    const replica = { state: "lagging", lag_ms: 1_500, reads: 7, sent_on: 2 } as const;
    const { app } = await openApp(
      { ...store, replica },
      { url: "http://127.0.0.1:7717", home, backup_folder: home },
    );
    const ask = (token?: string) =>
      app.request("http://127.0.0.1:7717/metrics", {
        headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      });
    const token = await createOwnerToken(owner, Date.now() + 60_000);
    const details: SelectionRequest[] = [
      {
        type: DATA_ACCESS_TYPE,
        source: library.source,
        purpose_code: "https://pdpp.dev/purpose/assistance",
        access_mode: "continuous",
        streams: [{ name: "notes" }],
      },
    ];
    const granted = await createGrant(owner, { client: { client_id: "agent" }, details });
    for (const [other, status] of [
      [undefined, 401],
      ["wrong", 401],
      [granted.token, 403],
    ] as const) {
      const refused = await ask(other);
      assert.equal(refused.status, status);
      assert.doesNotMatch(await refused.text(), /rungs_/);
    }
    const answer = await ask(token);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("Content-Type") ?? "", /^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    assert.match(text, /^rungs_connections 1$/m);
    assert.match(text, /^rungs_active_grants 1$/m);
    assert.match(text, /^rungs_replica_used 0$/m);
    assert.match(text, /^rungs_replica_lag_seconds 1\.5$/m);
    assert.match(text, /^rungs_replica_reads_total\{server="primary"\} 2$/m);
    assert.match(text, /^rungs_last_backup_time_seconds 0$/m);
    assert.match(text, /^rungs_requests_total\{operation="metrics",status="401"\} 2$/m);
    for (const line of text.trim().split("\n"))
      assert.match(line, /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[^}]*\})? [\d.e+-]+)$/);
    assert.doesNotMatch(text, /shelf|agent/);
    for (const file of ["grafana/rungs.json", "prometheus/alerts.yml"])
      for (const [name] of readFileSync(new URL(file, deploy), "utf8").matchAll(
        /\b(?:rungs|process)_[a-z_]+/g,
      ))
        assert.match(text, new RegExp(`^# TYPE ${name} `, "m"), `${file} names ${name}`);
  });
}
