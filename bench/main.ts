/**
 * `npm run bench [windows|mask|predicates|owners|encryption|search|field|http|mcp|import|start|sync|ask|documents|scale|console|fuzz]… [--records N] [--owners N] [--megabytes N] [--messages N,N] [--questions DIR [--mail MBOX]] [--dir DIR]… [--sizes N,N] [--engine NAME]… [--items N] [--minutes N] [--format NAME]… [--state FILE] [--database FILE]`:
 * measures the product, and the naive implementation in the same run, and writes the figures to `docs/figures.md`.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { withPostgres } from "../testing/postgres.ts";
import { benchAsk } from "./ask.ts";
import { benchConsole } from "./console.ts";
import { createRecords } from "./corpus.ts";
import { benchDocuments } from "./documents.ts";
import { benchEncryption } from "./encryption.ts";
import {
  openEngines,
  openKeptEngine,
  openKeptPostgres,
  openPostgresEngine,
  openSqliteEngine,
} from "./engines.ts";
import { keepFigures } from "./figures.ts";
import { openFts5 } from "./fts5.ts";
import { benchFuzz } from "./fuzz.ts";
import { benchHttp } from "./http.ts";
import { benchImport } from "./import.ts";
import { benchIngest } from "./ingest.ts";
import { benchLargeField } from "./large-field.ts";
import { benchMask } from "./mask.ts";
import { benchMcp } from "./mcp.ts";
import { benchOwners } from "./owners.ts";
import { benchPredicates, fillWithChosen } from "./predicates.ts";
import { benchScale } from "./scale.ts";
import { benchIndexSize, benchRanking, benchSearch } from "./search.ts";
import { benchStart } from "./start.ts";
import { benchSync } from "./sync.ts";
import { benchWindowMemory, benchWindows, fieldSizes } from "./windows.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    records: { type: "string", default: "100000" },
    owners: { type: "string", default: "1000" },
    megabytes: { type: "string", default: "20" },
    messages: { type: "string", default: "5000,50000" },
    questions: { type: "string" },
    mail: { type: "string" },
    sizes: { type: "string", default: "100000,1000000" },
    engine: { type: "string", multiple: true, default: ["SQLite", "PostgreSQL"] },
    dir: { type: "string", multiple: true, default: [] },
    items: { type: "string", default: "100000" },
    minutes: { type: "string", default: "600" },
    format: { type: "string", multiple: true, default: [] },
    seed: { type: "string", default: "1" },
    database: { type: "string" },
    state: { type: "string" },
  },
});

const sections: Readonly<Record<string, () => Promise<void> | void>> = {
  async windows() {
    for (const engine of await openEngines()) {
      await benchWindows(engine, fieldSizes);
      await benchWindowMemory(engine, "100 MiB");
      await engine.close();
    }
  },
  async mask() {
    for (const engine of await openEngines()) {
      await benchMask(engine, fieldSizes);
      await engine.close();
    }
  },
  async predicates() {
    const open = { SQLite: openSqliteEngine, PostgreSQL: openPostgresEngine };
    const size = Number(values.records);
    for (const name of values.database === undefined ? values.engine : ["SQLite"]) {
      const openEngine = open[name as keyof typeof open];
      const place = (kind: string) => join(values.database as string, `${kind}-${size}.db`);
      const openOne = (kind: string) =>
        values.database === undefined ? openEngine() : openKeptEngine(place(kind));
      const [whole, alone] = [await openOne("whole"), await openOne("alone")];
      if (!("isNew" in whole) || whole.isNew) await fillWithChosen(whole, alone, size);
      await benchPredicates(whole, alone, size);
      await whole.close();
      await alone.close();
    }
  },
  async owners() {
    const open = { SQLite: openSqliteEngine, PostgreSQL: openPostgresEngine };
    const size = { owners: Number(values.owners), records: Number(values.records) };
    const kept = values.database;
    const engines =
      kept === undefined ? values.engine : [kept.startsWith("postgres:") ? "PostgreSQL" : "SQLite"];
    for (const name of engines) {
      const openEngine = async (kind: string) => {
        if (kept === undefined) return open[name as keyof typeof open]();
        return name === "PostgreSQL"
          ? openKeptPostgres(kept, `rungs_${kind}_${size.records}`)
          : openKeptEngine(join(kept, `${kind}-${size.records}.db`));
      };
      const [alone, many] = [await openEngine("alone"), await openEngine("many")];
      await benchOwners(alone, many, size);
      await alone.close();
      await many.close();
    }
  },
  encryption: () => benchEncryption(Number(values.records)),
  async search() {
    const engines = await openEngines();
    const fts5 = openFts5();
    const records = [...createRecords(Number(values.records))];
    await benchIngest(engines, fts5, records);
    await benchIndexSize(engines, records);
    await benchSearch(engines, fts5);
    if (engines[0]) await benchRanking(engines[0], fts5, records);
    fts5.close();
    for (const engine of engines) await engine.close();
  },
  field: benchLargeField,
  http: benchHttp,
  mcp: benchMcp,
  import: () => benchImport(Number(values.megabytes), values.format),
  start: benchStart,
  sync: () => benchSync(values.messages.split(",").map(Number)),
  async ask() {
    if (values.questions === undefined) throw new Error("bench ask needs --questions DIR.");
    await benchAsk(values.questions, values.mail);
  },
  scale: () => benchScale(values.engine, values.sizes.split(",").map(Number)),
  fuzz: () =>
    benchFuzz({
      items: Number(values.items),
      minutes: Number(values.minutes),
      formats: values.format,
      seed: Number(values.seed),
      state: values.state,
    }),
  console: () => benchConsole(values.engine, values.sizes.split(",").map(Number), values.database),
  async documents() {
    if (values.dir.length === 0) throw new Error("bench documents needs --dir DIR.");
    await benchDocuments(values.dir);
  },
};

/** The default parts: those without an external data set that take only minutes. */
const standard = Object.keys(sections).filter(
  (name) => !["ask", "console", "documents", "fuzz", "scale", "sync"].includes(name),
);

await withPostgres(async () => {
  for (const name of positionals.length > 0 ? positionals : standard) {
    const section = sections[name];
    if (!section)
      throw new Error(`There is no bench ${name}; there are ${Object.keys(sections).join(", ")}.`);
    await keepFigures(`bench ${name}`, section, {
      isPartial:
        ["ask", "console", "owners", "predicates", "scale"].includes(name) ||
        (name === "import" && values.format.length > 0),
    });
  }
});
