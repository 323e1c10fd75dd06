import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { listRuns } from "@rungs/sources";
import { MAIN } from "../../testing/cli/program.ts";
import { MAIL_SERVER } from "../../testing/imap/mail-server.ts";
import { createSyncWorld, readStored, writeMessage } from "../../testing/imap/sync-world.ts";
import { until } from "../../testing/until.ts";

const MESSAGES = 300;

test(`R76 a process killed in the middle of a run leaves no lease behind, and the next run completes it (${MAIL_SERVER})`, async (t) => {
  const world = await createSyncWorld();
  t.after(() => world.close());
  const box = await world.box();
  const body = "word ".repeat(4_000);
  for (let at = 0; at < MESSAGES; at += 1) await box.append("INBOX", writeMessage(`${at}@x`, { body }));
  const argv = ["--conditions=rungs-source", MAIN, "sync", "run", "box"];
  const env = { ...process.env, RUNGS_HOME: world.folder };
  const program = spawn(process.execPath, argv, { stdio: "ignore", env });
  const ended = once(program, "exit");
  await until(async () => program.exitCode !== null || (await readStored(world.store)).length > 0);
  program.kill("SIGKILL");
  await ended;
  await world.sync();
  await world.compare();
  assert.equal((await readStored(world.store)).length, MESSAGES);
  const states = (await listRuns(world.context, "box")).map(({ state }) => state);
  assert.match(states.join(), /^done,(?:interrupted|done)$/);
});
