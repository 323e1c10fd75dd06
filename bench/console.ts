/** The server time of each console page as records grow: right after a new record, and on repeated loads. */
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { formatRecordPage } from "@rungs/contract";
import { createLoginLink } from "@rungs/server";
import type { Store } from "@rungs/store";
import { openPostgres } from "@rungs/store/postgres";
import { openSqlite } from "@rungs/store/sqlite";
import { openApp } from "rungs/internal/open-app";
import { openSession } from "../testing/console/served.ts";
import { createOwnerData, type OwnerData, word, writeAuditLog } from "./console-data.ts";
import { type Engine, openPostgresEngine, openSqliteEngine } from "./engines.ts";
import { printTable, summarize } from "./measure.ts";

const AUDITED_REQUESTS = 50_000;
/** How often to open each page after each new record, and how many new records. */
const [VIEWS, ROUNDS] = [8, 5];
const LIMIT_MS = 100;
const URL_HERE = "http://127.0.0.1:7700";

const record = formatRecordPage({ connection_id: "mail", stream: "messages", record_id: "m60" });
const common = encodeURIComponent(`${word(0)} ${word(3)}`);

/** The pages that people open, by path. */
const PAGES: Readonly<Record<string, string>> = {
  Data: "",
  "Search, empty": "/search",
  "Search, a rare word": `/search?q=${word(20_000)}`,
  "Search, two common words": `/search?q=${common}`,
  "Records of a stream": "/streams/mail/messages",
  "Records, oldest first": "/streams/mail/messages?sort=oldest",
  "Records since a day": "/streams/mail/messages?since=2020-10-01&until=2020-11-01",
  Record: record.replace("/console", ""),
  "Window of a field": `${record.replace("/console", "")}/field?field_path=body`,
  "Around a record": `${record.replace("/console", "")}/around`,
  "Delete a stream?": "/delete?what=mail/messages",
  "Delete a connection?": "/delete?what=mail",
  Grants: "/grants",
  "Make a grant": "/grants/new",
  "Hidden from all agents": "/hidden",
  Activity: "/activity",
  "Activity, also one's own": "/activity?who=all",
  "Connect an agent": "/connect",
  Import: "/import",
  Sync: "/sync",
  Settings: "/settings",
};

interface Cost {
  /** The time to the first chunk of the response, and to its end. */
  readonly first_ms: number;
  readonly ms: number;
  readonly cpu_ms: number;
}

const open = { SQLite: openSqliteEngine, PostgreSQL: openPostgresEngine };

/** Measures on each engine at each size; `database`, a SQLite file, keeps the records for the next run. */
export async function benchConsole(
  engines: readonly string[],
  sizes: readonly number[],
  database: string | undefined,
): Promise<void> {
  for (const name of database === undefined ? engines : ["SQLite"]) {
    const engine = database ? await openKept(database) : await open[name as keyof typeof open]();
    const data = await createOwnerData(engine.store, Math.max(...sizes));
    const [read] = await engine.store.listAudit(data.owner.owner_id, { limit: 1 });
    if (!read) await writeAuditLog(data.owner, AUDITED_REQUESTS);
    const rows: string[][] = [];
    for (const size of sizes) {
      await data.growTo(size);
      rows.push(...(await measurePages(engine, data.owner, size)));
    }
    printTable(
      `Pages of the console on ${name}: ms to the first part and to the whole answer, and CPU time of the server in ms`,
      [
        "records",
        "page",
        "right after a new record: ms to the first part / all",
        "CPU, median / most",
        `under ${LIMIT_MS} ms`,
        "then: ms to the first part / all",
        "CPU, median / p95",
        `under ${LIMIT_MS} ms`,
      ],
      rows,
    );
    await engine.close();
  }
}

async function openKept(place: string): Promise<Engine> {
  const store = await openSqlite(place);
  return { name: "SQLite", store, place, close: () => store.close() };
}

/** Opens the pages as `rungs serve` answers them. */
async function measurePages(
  { name, place }: Pick<Engine, "name" | "place">,
  { owner_id }: OwnerData["owner"],
  size: number,
): Promise<string[][]> {
  const store = await (name === "SQLite" ? openSqlite : openPostgres)(place, { workers: 4 });
  const home = `${tmpdir()}/rungs-bench-home-${process.pid}`;
  const { app, oauth } = await openApp(store, { url: URL_HERE, home });
  const fetchHere = async (url: string, init?: RequestInit) => app.fetch(new Request(url, init));
  const halves = await openSession(await createLoginLink(oauth, URL_HERE), fetchHere);
  /**
   * Opens a page; returns the wall time, and the CPU time of all threads, which a busy machine does not distort. Nobody opens
   * pages as fast as this: when they exceed the rate limit, it waits.
   */
  const view = async (path: string): Promise<Cost> => {
    const start = performance.now();
    const before = process.cpuUsage();
    const answer = await fetchHere(`${URL_HERE}/console${path}`, { headers: { ...halves } });
    if (answer.status === 429) {
      await delay(Number(answer.headers.get("Retry-After")) * 1000);
      return view(path);
    }
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    let first_ms: number | undefined;
    for await (const _part of answer.body ?? []) first_ms ??= performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    return { first_ms: first_ms ?? 0, ms: performance.now() - start, cpu_ms: (user + system) / 1000 };
  };
  const rows: string[][] = [];
  for (const [page, path] of Object.entries(PAGES)) {
    const [first, later]: [Cost[], Cost[]] = [[], []];
    await view(path);
    for (let round = 0; round < ROUNDS; round += 1) {
      await addRecord(store, owner_id, round);
      first.push(await view(path));
      for (let at = 0; at < VIEWS; at += 1) later.push(await view(path));
    }
    rows.push([size.toLocaleString("en"), page, ...[first, later].flatMap(describeCosts)]);
  }
  await store.close();
  rmSync(home, { recursive: true, force: true });
  return rows;
}

function describeCosts(costs: readonly Cost[]): [string, string, string] {
  const [first, all, cpu] = [
    summarize(costs.map(({ first_ms }) => first_ms)),
    summarize(costs.map(({ ms }) => ms)),
    summarize(costs.map(({ cpu_ms }) => cpu_ms)),
  ];
  return [
    `${first.median.toFixed(1)} / ${all.median.toFixed(1)}`,
    `${cpu.median.toFixed(1)} / ${cpu.p95.toFixed(1)}`,
    cpu.p95 <= LIMIT_MS ? "yes" : "no",
  ];
}

/** Invalidates earlier counts. */
async function addRecord(store: Store, owner_id: string, round: number): Promise<void> {
  const sent_at = new Date().toISOString();
  const data = { id: `new${round}`, subject: "One more", body: `It came at ${sent_at}.`, sent_at };
  await store.ingest(owner_id, "mail", [{ stream: "messages", key: data.id, data, emitted_at: sent_at }]);
}
