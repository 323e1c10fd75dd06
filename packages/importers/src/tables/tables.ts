import type { ImportedItem, Manifest } from "@rungs/contract";
import type { FileEntry, Files } from "../files/files.ts";
import { formatResume, parseResume } from "../files/resume.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { inferManifest, type SurveyedTable } from "./infer-manifest.ts";
import { createRowReader } from "./row-item.ts";
import { readRows } from "./rows.ts";
import { surveyRows } from "./survey.ts";
import { findTableForm, type TableForm } from "./table-form.ts";

/** Reads tables: CSV, JSON lines, a JSON list. Each file is a stream. */
export const tablesImporter: Importer = {
  id: "table",
  label: "Table",
  get manifest() {
    return inferManifest([{ stream: "rows", columns: [] }]);
  },
  matches: isTables,
  inspect: async (files, given) => given ?? inferManifest(await surveyFiles(files)),
  read: readTables,
};

interface Table {
  readonly entry: FileEntry;
  /** Undefined for a file that is not a table. */
  readonly form: TableForm | undefined;
  readonly stream: string;
}

async function isTables(files: Files): Promise<boolean> {
  let count = 0;
  for await (const entry of files.list()) {
    if (!(await findTableForm(entry))) return false;
    count += 1;
  }
  return count > 0;
}

async function listTables(files: Files, manifest?: Manifest): Promise<Table[]> {
  const tables: Table[] = [];
  for await (const entry of files.list()) {
    const taken = tables.map(({ stream }) => stream);
    tables.push({ entry, form: await findTableForm(entry), stream: pickStreamName(entry.path, taken) });
  }
  const [only, ...others] = tables;
  if (!only || others.length > 0) return tables;
  return [{ ...only, stream: manifest?.streams[0]?.name ?? "rows" }];
}

/** The file name without its extension, in the characters that a stream name may have. */
function pickStreamName(path: string, taken: readonly string[]): string {
  const stem = path.replace(/\.[A-Za-z0-9]{1,8}$/, "").replaceAll(/[^A-Za-z0-9._~-]+/g, "-");
  const name = stem.replaceAll(/^[-.]+|[-.]+$/g, "").slice(0, 100) || "rows";
  let free = name;
  for (let at = 2; taken.includes(free); at += 1) free = `${name}-${at}`;
  return free;
}

async function surveyFiles(files: Files): Promise<SurveyedTable[]> {
  const surveyed: SurveyedTable[] = [];
  for (const { entry, form, stream } of await listTables(files)) {
    const columns = form ? await surveyRows(readRows(entry, form), form.kind === "csv") : [];
    surveyed.push({ stream, columns });
  }
  return surveyed;
}

async function* readTables({ files, manifest, resume }: ImportSource): AsyncGenerator<ImportedItem> {
  const { path: done_path = "", counts: [done_rows = 0] = [] } = parseResume(resume) ?? {};
  for (const { entry, form, stream } of await listTables(files, manifest)) {
    if (entry.path < done_path) continue;
    if (!form) {
      yield { kind: "rejected", place: entry.path, reason: "It is not CSV, lines of JSON or a JSON list." };
      continue;
    }
    const toItem = createRowReader(stream, manifest ?? tablesImporter.manifest, form.kind === "csv");
    let number = 0;
    for await (const row of readRows(entry, form)) {
      number += 1;
      if (entry.path === done_path && number <= done_rows) continue;
      const place = `${entry.path}, row ${number}`;
      yield { ...toItem(row, number), place, checkpoint: formatResume(entry.path, number) };
    }
  }
}
