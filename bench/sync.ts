/** The sync of a mailbox, compared with the import of the same messages as an mbox in the same run. */
import { type ChildProcess, type ExecFileException, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ownerScope } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import { mailManifest } from "@rungs/importers";
import { ensureOwner } from "@rungs/server";
import { openSqlite } from "@rungs/store/sqlite";
import { createMessages } from "../testing/files/mbox.ts";
import { startDovecot } from "../testing/imap/dovecot.ts";
import { openMailbox } from "../testing/imap/mail-server.ts";
import { writeMessage } from "../testing/imap/sync-world.ts";
import { startCountingProxy } from "./imap-proxy.ts";
import { printTable, ratio, show, summarize, type Timing } from "./measure.ts";

const run = promisify(execFile);
const DOVECOT = "/usr/sbin/dovecot";
const [IMPORT, SYNC] = ["import-run.ts", "sync-run.ts"].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
) as [string, string];

/** The output of both programs. */
interface Outcome {
  readonly ms: number;
  readonly cpu_ms: number;
  readonly peak_bytes: number;
}

/** Measures mailboxes of these sizes. */
export async function benchSync(sizes: readonly number[]): Promise<void> {
  if (!existsSync(DOVECOT)) throw new Error("bench sync needs Dovecot (Debian's dovecot-imapd).");
  const rows: string[][] = [];
  for (const messages of sizes) rows.push(await benchMailbox(messages));
  printTable(
    "Sync of a mailbox over IMAP (Dovecot), into SQLite",
    [
      "messages",
      "import of the mbox, s",
      "first sync, s",
      "against the import",
      "processor time of the import, s",
      "of the sync",
      "against the import",
      "peak memory of the import",
      "peak memory of the sync",
      "commands of a run with nothing new",
      "with one new message",
    ],
    rows,
  );
  await benchReads(sizes.at(-1) ?? 0);
}

async function benchMailbox(messages: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "rungs-bench-sync-"));
  const list = createMessages().take(messages).toArray();
  const mbox = join(folder, "mail.mbox");
  writeFileSync(mbox, list.join(""));
  const server = await startDovecot(DOVECOT, { inbox: list.map(dropFrom) });
  try {
    const imported = await measure(IMPORT, join(folder, "import.db"), mbox);
    const file = join(folder, "sync.db");
    const synced = await measure(SYNC, file, String(server.port));
    const idle = await countCommands(file, server.port);
    const box = await openMailbox(server);
    await box.append("INBOX", writeMessage("new@example.org"));
    await box.logout();
    const one = await countCommands(file, server.port);
    return [
      messages.toLocaleString("en"),
      seconds(imported.ms),
      seconds(synced.ms),
      `${ratio(synced.ms / imported.ms)} (goal 2×)`,
      seconds(imported.cpu_ms),
      seconds(synced.cpu_ms),
      ratio(synced.cpu_ms / imported.cpu_ms),
      megabytes(imported.peak_bytes),
      megabytes(synced.peak_bytes),
      String(idle),
      String(one),
    ];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** How many commands a run sends. */
async function countCommands(file: string, port: number): Promise<number> {
  const proxy = await startCountingProxy(port);
  try {
    await measure(SYNC, file, String(proxy.port));
    return proxy.count();
  } finally {
    await proxy.close();
  }
}

const QUERIES = ["harbour invoice", "garden", "東京 資料", '"tea river"', "sender3 signal bridge"];

/** How long to measure searches, and how long the sync alternately runs and pauses meanwhile. */
const READS_MS = 120_000;
const PHASE_MS = 1_500;

/**
 * Searches of a store into which another process syncs, compared with searches while that process is suspended: the two
 * alternate, so that only the sync differs.
 */
async function benchReads(messages: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "rungs-bench-sync-"));
  const list = createMessages().take(messages).toArray();
  const mbox = join(folder, "mail.mbox");
  writeFileSync(mbox, list.slice(0, 5_000).join(""));
  const server = await startDovecot(DOVECOT, { inbox: list.map(dropFrom) });
  const file = join(folder, "rungs.db");
  await measure(IMPORT, file, mbox);
  const store = await openSqlite(file);
  try {
    const owner_id = await ensureOwner(store);
    const scope = ownerScope(owner_id, [{ connection_id: "bench", manifest: mailManifest() }]);
    const search = (text: string) => store.search(scope, { query: requireQuery(text), limit: 10 });
    for (const text of QUERIES) await search(text);
    const { alone, beside } = await readInTurns(search, startProgram(SYNC, file, String(server.port), "low"));
    const [quiet, busy] = [summarizeReads(alone), summarizeReads(beside)];
    printTable(
      `Searches of an agent in 5,000 messages beside the first sync of ${messages.toLocaleString("en")} messages, median / p95`,
      ["", "sync suspended", "sync running", "ratio of the medians"],
      [
        ["searches", String(alone.length), String(beside.length), ""],
        [
          "ms to the answer",
          show(quiet.ms),
          show(busy.ms),
          `${ratio(busy.ms.median / quiet.ms.median)} (goal 1.5×)`,
        ],
        [
          "ms of processor time",
          show(quiet.cpu_ms),
          show(busy.cpu_ms),
          ratio(busy.cpu_ms.median / quiet.cpu_ms.median),
        ],
      ],
    );
  } finally {
    await store.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** One search: its latency, and the CPU time of this process, which other load on the machine does not affect. */
interface Read {
  readonly ms: number;
  readonly cpu_ms: number;
}

function summarizeReads(reads: readonly Read[]): { readonly ms: Timing; readonly cpu_ms: Timing } {
  return { ms: summarize(reads.map(({ ms }) => ms)), cpu_ms: summarize(reads.map(({ cpu_ms }) => cpu_ms)) };
}

/** Searches with an agent's think time, alternately while the program runs and while it is suspended. */
async function readInTurns(
  read: (text: string) => Promise<unknown>,
  program: ChildProcess,
): Promise<{ readonly alone: Read[]; readonly beside: Read[] }> {
  const times = { alone: [] as Read[], beside: [] as Read[] };
  const end = performance.now() + READS_MS;
  while (program.exitCode === null && performance.now() < end) {
    for (const [signal, list] of [
      ["SIGCONT", times.beside],
      ["SIGSTOP", times.alone],
    ] as const) {
      program.kill(signal);
      const phase_end = performance.now() + PHASE_MS;
      for (let at = 0; performance.now() < phase_end && program.exitCode === null; at += 1) {
        const [began, cpu] = [performance.now(), process.cpuUsage()];
        await read(QUERIES[at % QUERIES.length] ?? "");
        const { user, system } = process.cpuUsage(cpu);
        list.push({ ms: performance.now() - began, cpu_ms: (user + system) / 1_000 });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }
  if (program.exitCode === null) {
    const exit = once(program, "exit");
    program.kill("SIGKILL");
    await exit;
  } else if (program.exitCode !== 0) throw new Error(`The sync ended with ${program.exitCode}.`);
  return times;
}

function startProgram(program: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, ["--conditions=rungs-source", program, ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function measure(program: string, ...args: string[]): Promise<Outcome> {
  try {
    const { stdout } = await run(process.execPath, ["--conditions=rungs-source", program, ...args]);
    return JSON.parse(stdout) as Outcome;
  } catch (error) {
    throw new Error((error as ExecFileException).stderr || String(error));
  }
}

/** A message as stored on a server, without its mbox separator line. */
function dropFrom(message: string): string {
  return message.slice(message.indexOf("\n") + 1);
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1);
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
