import type { ImportedItem, Manifest } from "@rungs/contract";
import type { Detection } from "../detect/detection.ts";
import { isProgramFile, type Sample } from "../detect/sample.ts";
import type { FileEntry, Files } from "../files/files.ts";
import { formatResume, parseResume } from "../files/resume.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { inferManifest, type SurveyedTable } from "./infer-manifest.ts";
import { createKeyCheck } from "./key-check.ts";
import { createRowReader } from "./row-item.ts";
import { readRows } from "./rows.ts";
import { surveyRows } from "./survey.ts";
import { findTableForm, TABLE_NAME, type TableForm } from "./table-form.ts";

/** Reads tables: CSV, JSON lines, a JSON list. Each file is a stream. */
export const tablesImporter: Importer = {
  id: "table",
  label: "Table",
  get manifest() {
    return inferManifest([{ stream: "rows", columns: [] }]);
  },
  recognition: { kind: "file", recognise },
  inspect: async (files, given) => given ?? inferManifest(await surveyFiles(files)),
  read: readTables,
};

interface Table {
  readonly entry: FileEntry;
  /** Undefined for a file that is not a table. */
  readonly form: TableForm | undefined;
  readonly stream: string;
}

/** Recognises a table by its structure; one that has not the name of a table is a guess. */
async function recognise({ entry, is_alone }: Sample): Promise<Detection | undefined> {
  const isProse = MARKUP_NAME.test(entry.path) || (TEXT_NAME.test(entry.path) && !is_alone);
  if (isProgramFile(entry.path) || isProse) return undefined;
  const form = await findTableForm(entry);
  if (!form) return undefined;
  if (form.kind !== "csv") {
    const reason = form.kind === "json" ? "it has a JSON list of objects" : "its lines are JSON objects";
    return form.is_broken
      ? { confidence: "guess", reason: `${reason}, although it is not valid JSON` }
      : { confidence: "structure", reason };
  }
  const count = form.names.length;
  const isNamed = TABLE_NAME.test(entry.path) || (TEXT_NAME.test(entry.path) && form.has_header);
  const reason = `its first rows have ${count} columns each`;
  return { confidence: isNamed ? "structure" : "guess", reason };
}

const MARKUP_NAME = /\.(?:md|markdown|mdx|html?|rst|org|adoc|tex)$/i;
/** In a folder, prose with commas in every line is not a table. */
const TEXT_NAME = /\.(?:txt|text|log)$/i;

function noteForm(path: string, form: TableForm, note: ImportSource["note"]): void {
  if (form.kind === "csv" && form.skip_lines > 0) {
    note(`${path}: the first ${form.skip_lines} lines come before the table and were not read.`);
  }
  if (form.kind === "json" && form.member !== undefined) {
    note(`${path}: only the list ${form.member} was read.`);
  }
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

async function* readTables({ files, manifest, resume, note }: ImportSource): AsyncGenerator<ImportedItem> {
  const { path: done_path = "", counts: [done_rows = 0] = [] } = parseResume(resume) ?? {};
  for (const { entry, form, stream } of await listTables(files, manifest)) {
    if (entry.path < done_path) continue;
    if (!form) {
      yield { kind: "rejected", place: entry.path, reason: "It is not CSV, lines of JSON or a JSON list." };
      continue;
    }
    noteForm(entry.path, form, note);
    const toItem = createRowReader(stream, manifest ?? tablesImporter.manifest, form.kind === "csv");
    const keys = createKeyCheck();
    let number = 0;
    let repeated = 0;
    for await (const row of readRows(entry, form)) {
      number += 1;
      const item = keys.check(toItem(row, number));
      if (row.kind === "row" && row.is_repeated) repeated += 1;
      if (entry.path === done_path && number <= done_rows) continue;
      const place = `${entry.path}, row ${number}`;
      yield { ...item, place, checkpoint: formatResume(entry.path, number) };
    }
    if (repeated > 0)
      note(
        `${entry.path}: ${repeated} rows have an object with two members of one name; the last one counts.`,
      );
    if (keys.is_full)
      note(`${entry.path}: it has too many rows to tell whether a key repeats among the last of them.`);
  }
}
