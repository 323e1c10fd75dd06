/** Servers that fail, lie or attack: clear messages, bounded work, and no loss of stored data. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createSecretKeeper, runSync } from "@rungs/sources";
import type { Store } from "@rungs/store";
import { openSqlite } from "@rungs/store/sqlite";
import { type Answer, flood, startHostileServer } from "../../testing/imap/hostile-server.ts";
import { readStored, writeMessage } from "../../testing/imap/sync-world.ts";

const MIB = 1024 ** 2;
const entry = (uid: number, size: number) => `* ${uid} FETCH (UID ${uid} FLAGS () RFC822.SIZE ${size})\r\n`;
const message = writeMessage("good@x").toString("latin1");
const body = (uid: number, text: string) =>
  `* ${uid} FETCH (UID ${uid} BODY[] {${text.length}}\r\n${text})\r\n`;

/** Answers a FETCH of message bodies with `downloaded`, and any other FETCH with `described`. */
const fetch =
  (described: string, downloaded: string): Answer =>
  (socket, tag, _name, rest) => {
    socket.write(`${rest.includes("BODY") ? downloaded : described}${tag} OK done\r\n`);
  };
const endless =
  (text: string, first = ""): Answer =>
  (socket) => {
    socket.write(first);
    flood(socket, text);
  };

/** A folder with two messages: one more than the first run stored. */
const TWO = {
  STATUS: "* STATUS INBOX (MESSAGES 2 UIDNEXT 3 UIDVALIDITY 7)\r\n",
  EXAMINE: "* 2 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 3] x\r\n",
};

interface Attack {
  readonly answers: Readonly<Record<string, string | Answer>>;
  readonly code: string;
  readonly words: RegExp;
}

const attacks: Readonly<Record<string, Attack>> = {
  "no password works": {
    answers: { LOGIN: (socket, tag) => socket.write(`${tag} NO [AUTHENTICATIONFAILED] no\r\n`) },
    code: "source_refused",
    words: /refused the sign-in/,
  },
  "a provider that throttles": {
    answers: { LIST: (socket, tag) => socket.write(`${tag} NO [THROTTLED] slow down\r\n`) },
    code: "source_throttled",
    words: /throttling requests/,
  },
  "a provider that has no room for another connection": {
    answers: { greeting: "* BYE [UNAVAILABLE] Too many connections\r\n" },
    code: "source_throttled",
    words: /throttling requests/,
  },
  "a provider that says goodbye in the middle": {
    answers: { LIST: (socket) => socket.end("* BYE [THROTTLED] Come back later\r\n") },
    code: "source_throttled",
    words: /throttling requests/,
  },
  "a provider that limits sign-ins": {
    answers: { LOGIN: (socket, tag) => socket.write(`${tag} NO [LIMIT] Too many sign-ins\r\n`) },
    code: "source_throttled",
    words: /throttling requests/,
  },
  "a line without end in the greeting": {
    answers: { greeting: `* OK ${"x".repeat(5 * MIB)}` },
    code: "source_broken",
    words: /without end/,
  },
  "a line without end": { answers: { LIST: endless("x") }, code: "source_broken", words: /without end/ },
  "ten million folders": {
    answers: { LIST: endless('* LIST () "/" "folder"\r\n') },
    code: "source_broken",
    words: /answer without end/,
  },
  "no folder at all": { answers: { LIST: "", LSUB: "" }, code: "source_broken", words: /lists no folder/ },
  "a literal of a terabyte": {
    answers: { "UID FETCH": endless("x", "* 1 FETCH (UID 1 BODY[] {1099511627776}\r\n") },
    code: "source_broken",
    words: /larger than any message/,
  },
  "descriptions without end": {
    answers: { "UID FETCH": endless(entry(1, 5)) },
    code: "source_broken",
    words: /answer without end/,
  },
  "a message much larger than it said": {
    answers: { ...TWO, "UID FETCH": fetch(entry(1, 5) + entry(2, 5), body(2, "x".repeat(20 * MIB))) },
    code: "source_broken",
    words: /answer without end/,
  },
  "lists nested a million deep": {
    answers: { LIST: `* LIST ${"(".repeat(1_000_000)}\r\n` },
    code: "source_broken",
    words: /nested|no folder|without end/,
  },
  "a list of messages that leaves some out": {
    answers: { ...TWO, "UID FETCH": fetch(entry(2, message.length), "") },
    code: "source_broken",
    words: /fewer messages than the folder has/,
  },
  "a server that hangs up": {
    answers: { LIST: (socket) => socket.destroy() },
    code: "source_unreachable",
    words: /connection/,
  },
};

for (const [name, { answers, code, words }] of Object.entries(attacks)) {
  test(`R76 ${name}: the run ends with a clear message and bounded work, and what was stored stays`, async (t) => {
    const world = await openWorld(t);
    assert.equal(
      (await world.run({ "UID FETCH": fetch(entry(1, message.length), body(1, message)) })).state,
      "done",
    );
    const before = process.memoryUsage().rss;
    const run = await world.run(answers);
    assert.deepEqual([run.state, run.failure?.code], ["failed", code]);
    assert.match(run.failure?.message ?? "", words);
    assert.ok((run.next_ms ?? 0) > Date.now(), "it is tried again later");
    assert.ok(process.memoryUsage().rss - before < 700 * MIB);
    assert.deepEqual(
      (await readStored(world.store)).map(([id]) => id),
      ["good@x"],
    );
  });
}

test("a message of 100 MB is rejected without a download, and one with broken MIME is read as far as possible", async (t) => {
  const world = await openWorld(t);
  const broken =
    "Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n--x\r\nContent-Type: multipart/mixed\r\n\r\n";
  const answers = {
    STATUS: "* STATUS INBOX (MESSAGES 3 UIDNEXT 4 UIDVALIDITY 7)\r\n",
    EXAMINE: "* 3 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 4] x\r\n",
    "UID FETCH": fetch(
      entry(1, 100 * MIB) + entry(2, broken.length) + entry(3, message.length),
      body(2, broken) + body(3, message),
    ),
  };
  const run = await world.run(answers);
  assert.deepEqual([run.state, run.added, run.rejected], ["done", 2, 1]);
  assert.match(
    run.rejections.map(({ place, message }) => `${place}: ${message}`).join("\n"),
    /INBOX, message 1: It is larger than 64 MiB/,
  );
  assert.ok(!world.commands().some((line) => /^UID FETCH \S*\b1\b\S* .*BODY/.test(line)));
  const again = await world.run(answers);
  assert.deepEqual([again.added, again.rejected], [0, 0]);
  assert.ok(!world.commands().some((line) => line.includes("BODY")), "nothing is downloaded again");
});

test("R76 messages are prefetched while the previous ones are stored, and a hang-up meanwhile loses nothing", async (t) => {
  const world = await openWorld(t);
  const all = Array.from({ length: 600 }, (_, at) => {
    const text = writeMessage(`${at + 1}@x`).toString("latin1");
    return { described: entry(at + 1, text.length), downloaded: body(at + 1, text) };
  });
  let downloads = 0;
  const serve =
    (breaks: boolean): Answer =>
    (socket, tag, _name, rest) => {
      const [from = 1, to = all.length] = (rest.split(" ")[0] ?? "").split(/[:,]/).map(Number);
      const isDownload = rest.includes("BODY");
      if (isDownload) downloads += 1;
      if (isDownload && breaks && from > 1) return socket.destroy();
      const some = all.slice(from - 1, Number.isNaN(to) ? all.length : to);
      const lines = some.map(({ described, downloaded }) => (isDownload ? downloaded : described));
      return socket.write(`${lines.join("")}${tag} OK done\r\n`);
    };
  const answers = {
    STATUS: `* STATUS INBOX (MESSAGES ${all.length} UIDNEXT ${all.length + 1} UIDVALIDITY 7)\r\n`,
    EXAMINE: `* ${all.length} EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT ${all.length + 1}] x\r\n`,
  };
  const downloadsBeforeWrite: number[] = [];
  world.onWrite(() => downloadsBeforeWrite.push(downloads));
  const broken = await world.run({ ...answers, "UID FETCH": serve(true) });
  assert.deepEqual([broken.state, broken.failure?.code], ["failed", "source_unreachable"]);
  assert.deepEqual([broken.added, downloadsBeforeWrite[0]], [500, 2]);
  const run = await world.run({ ...answers, "UID FETCH": serve(false) });
  assert.deepEqual([run.state, run.added, run.unchanged, downloads], ["done", 100, 0, 3]);
});

test("R77 every command only reads", async (t) => {
  const world = await openWorld(t);
  await world.run({ "UID FETCH": fetch(entry(1, message.length), body(1, message)) });
  const names = new Set(world.commands().map((line) => /^(?:UID )?\S+/.exec(line)?.[0]));
  const reading = [
    "CAPABILITY",
    "ID",
    "NAMESPACE",
    "LOGIN",
    "LIST",
    "LSUB",
    "STATUS",
    "EXAMINE",
    "UID FETCH",
    "LOGOUT",
  ];
  assert.deepEqual(
    [...names].filter((name) => !reading.includes(name ?? "")),
    [],
  );
  assert.ok(
    world.commands().every((line) => !line.includes("BODY[")),
    "only BODY.PEEK",
  );
});

async function openWorld(t: { after(work: () => Promise<void>): void }) {
  const folder = mkdtempSync(join(tmpdir(), "rungs-hostile-"));
  const store = await openSqlite(join(folder, "rungs.db"));
  t.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await store.putOwner("owner");
  const secrets = createSecretKeeper({ file: join(folder, "key") });
  const schedule = { kind: "every", minutes: 15 } as const;
  const settings = { host: "127.0.0.1", user: "ada", security: "none" };
  const secret = await secrets.seal("pw", "box");
  await store.addSync("owner", {
    sync_id: "box",
    connection_id: "box",
    kind: "imap",
    settings,
    schedule,
    keeps_deleted: false,
    secret,
  });
  let commands: readonly string[] = [];
  let beforeWrite: () => void = () => undefined;
  const writeSync: Store["writeSync"] = (...batch) => {
    beforeWrite();
    return store.writeSync(...batch);
  };
  const context = {
    owner_id: "owner",
    now: Date.now,
    secrets,
    work_folder: "",
    store: { ...store, writeSync },
  };
  return {
    store,
    onWrite(work: () => void) {
      beforeWrite = work;
    },
    commands: () => commands,
    async run(answers: Readonly<Record<string, string | Answer>>) {
      const server = await startHostileServer(answers);
      commands = server.commands;
      try {
        await store.changeSync("owner", "box", { settings: { ...settings, port: server.port } });
        return await runSync(context, "box");
      } finally {
        await server.stop();
      }
    },
  };
}
