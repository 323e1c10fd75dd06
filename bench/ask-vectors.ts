/** The cost of vectors: the CPU time and size of an import with and without them, interleaved. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureOwner } from "@rungs/server";
import { openSqlite } from "@rungs/store/sqlite";
import { planImports } from "rungs/internal/import-plan";
import { runImport } from "rungs/internal/import-run";
import type { AskData } from "./ask-data.ts";
import { ratio, summarize } from "./measure.ts";

const ROUNDS = 7;

interface Cost {
  readonly cpu_ms: number;
  readonly size_bytes: number;
}

/** The cells of a row: records, megabytes of text, the median CPU times and that of their ratios in pairs, the size against the text. */
export async function measureVectors(path: string, data: AskData): Promise<string[]> {
  const pairs: { readonly plain: Cost; readonly vectors: Cost }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const plain = await importFile(path, { embedder: null });
    const vectors = await importFile(path, {});
    // The first round includes JIT compilation.
    if (round > 0) pairs.push({ plain, vectors });
  }
  const median = (list: readonly number[]) => summarize(list).median;
  const [{ plain, vectors }] = pairs as [(typeof pairs)[number]];
  const text = countText(data);
  return [
    data.records.length.toLocaleString("en"),
    (text / 1e6).toFixed(1),
    [median(pairs.map((one) => one.plain.cpu_ms)), median(pairs.map((one) => one.vectors.cpu_ms))]
      .map((ms) => ms.toFixed(0))
      .join(" / "),
    ratio(median(pairs.map((one) => one.vectors.cpu_ms / one.plain.cpu_ms))),
    ratio((vectors.size_bytes - plain.size_bytes) / text),
  ];
}

/** Writes the conversations as a WhatsApp export; returns its file. */
export function writeChat(folder: string, { records }: AskData): string {
  const lines = records.map(({ envelope }) => {
    const { at, speaker, text } = envelope.data as Record<string, string>;
    const [, year, month, day, time] = /^\d\d(\d\d)-(\d\d)-(\d\d)T([\d:]{8})/.exec(at ?? "") ?? [];
    return `[${day}.${month}.${year}, ${time}] ${speaker}: ${text}`;
  });
  const file = join(folder, "_chat.txt");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

async function importFile(path: string, options: { readonly embedder?: null }): Promise<Cost> {
  const home = mkdtempSync(join(tmpdir(), "rungs-vectors-"));
  const nothing = () => undefined;
  try {
    const file = join(home, "rungs.db");
    const store = await openSqlite(file, options);
    const place = { format: undefined, connection_id: "bench", label: undefined, manifest: undefined };
    const { plans, close } = await planImports(path, place);
    const parts = { store, owner_id: await ensureOwner(store), now: Date.now };
    const before = process.cpuUsage();
    for (const plan of plans) await runImport(plan, parts, { note: nothing, onItem: nothing });
    const { user, system } = process.cpuUsage(before);
    await close();
    await store.close();
    return { cpu_ms: (user + system) / 1000, size_bytes: statSync(file).size };
  } finally {
    rmSync(home, { recursive: true });
  }
}

function countText({ records, searched }: AskData): number {
  const texts = records.flatMap(({ envelope: { data } }) =>
    searched.map((field) => String((data as Record<string, unknown>)[field] ?? "")),
  );
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
