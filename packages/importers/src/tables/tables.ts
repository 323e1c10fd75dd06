import { ApiError, type ImportedItem, type Manifest } from "@rungs/contract";
import type { Detection } from "../detect/detection.ts";
import { isProgramFile, type Sample } from "../detect/sample.ts";
import type { FileEntry, Files } from "../files/files.ts";
import { isZip } from "../files/inner-zip.ts";
import { listEntries } from "../files/probe.ts";
import { formatResume, parseResume } from "../files/resume.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { detectWorkbook } from "../sheets/workbook.ts";
import { inferManifest, type SurveyedTable } from "./infer-manifest.ts";
import { createRowReader, type RowItem } from "./row-item.ts";
import { readRows } from "./rows.ts";
import { findSheetForms } from "./sheet-form.ts";
import { surveyRows } from "./survey.ts";
import { findTableForm, TABLE_NAME, type TableForm } from "./table-form.ts";

/** Reads tables: CSV, JSON lines, a JSON list, the sheets of a workbook. Each file and each sheet is a stream. */
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
  /** Its number in the file, from 0: a workbook has several. */
  readonly number: number;
  readonly form: TableForm;
  readonly stream: string;
}

/** A file that cannot be read as a table, and why. */
interface NoTable {
  readonly entry: FileEntry;
  readonly reason: string;
}

/** Recognizes a table by its structure; one without the file name of a table is a guess. */
async function recognise({ entry, bytes, is_alone }: Sample): Promise<Detection | undefined> {
  if (isZip(bytes)) return await recogniseWorkbook(entry);
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

async function recogniseWorkbook(entry: FileEntry): Promise<Detection | undefined> {
  const kind = isProgramFile(entry.path) ? undefined : await detectWorkbook(entry);
  const reason = `it is an ${kind === "ods" ? "ODS" : "XLSX"} workbook by its parts`;
  return kind && { confidence: "signature", reason };
}

async function listTables(files: Files, manifest?: Manifest): Promise<(Table | NoTable)[]> {
  const tables: (Table | NoTable)[] = [];
  const taken: string[] = [];
  const entries = await listEntries(files);
  for (const entry of entries) {
    const forms = await orReason(() => findForms(entry));
    if (typeof forms === "string") tables.push({ entry, reason: forms });
    else
      for (const [number, form] of forms.entries()) {
        const sheet = form.kind === "sheet" && forms.length > 1 ? [form.sheet.name] : [];
        const file = sheet.length > 0 && entries.length === 1 ? [] : [entry.path.replace(EXTENSION, "")];
        const stream = pickStreamName([...file, ...sheet].join("-"), taken);
        taken.push(stream);
        tables.push({ entry, number, form, stream });
      }
  }
  const [only, ...others] = tables;
  if (!only || others.length > 0) return tables;
  return [{ ...only, stream: manifest?.streams[0]?.name ?? "rows" }];
}

async function findForms(entry: FileEntry): Promise<readonly TableForm[] | string> {
  if (isZip(await entry.head(4))) {
    const forms = await findSheetForms(entry);
    return forms.length > 0 ? forms : "It has no sheet with rows.";
  }
  const form = await findTableForm(entry);
  return form ? [form] : "It is not CSV, lines of JSON, a JSON list or a workbook.";
}

/** Turns an unreadable file into a reason; rethrows other failures. */
async function orReason<T>(act: () => Promise<T>): Promise<T | string> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError) || !UNREADABLE.has(error.code)) throw error;
    return error.message;
  }
}

const UNREADABLE = new Set(["file_unreadable", "archive_refused"]);

const EXTENSION = /\.[A-Za-z0-9]{1,8}$/;

/** The name of the file or sheet, restricted to the characters of stream names. */
function pickStreamName(title: string, taken: readonly string[]): string {
  const plain = title.replaceAll(/[^A-Za-z0-9._~-]+/g, "-");
  const name = plain.replaceAll(/^[-.]+|[-.]+$/g, "").slice(0, 100) || "rows";
  let free = name;
  for (let at = 2; taken.includes(free); at += 1) free = `${name}-${at}`;
  return free;
}

async function surveyFiles(files: Files): Promise<SurveyedTable[]> {
  const surveyed: SurveyedTable[] = [];
  for (const table of await listTables(files)) {
    if ("reason" in table) continue;
    const { entry, form, stream } = table;
    const columns = await orReason(() => surveyRows(readRows(entry, form), isCells(form)));
    surveyed.push({ stream, columns: typeof columns === "string" ? [] : columns });
  }
  return surveyed.length > 0 ? surveyed : [{ stream: "rows", columns: [] }];
}

/** Whether values are text whose kind must be inferred. */
function isCells({ kind }: TableForm): boolean {
  return kind === "csv" || kind === "sheet";
}

async function* readTables(source: ImportSource): AsyncGenerator<ImportedItem> {
  const { path: done_path = "", counts: [done_table = 0, done_rows = 0] = [] } =
    parseResume(source.resume, 2) ?? {};
  for (const table of await listTables(source.files, source.manifest)) {
    const { path } = table.entry;
    if (path < done_path) continue;
    if ("reason" in table) {
      yield { kind: "rejected", place: path, reason: table.reason };
      continue;
    }
    const is_done = path === done_path;
    if (is_done && table.number < done_table) continue;
    yield* readTable(source, table, is_done && table.number === done_table ? done_rows : 0);
  }
}

async function* readTable(
  { manifest, note }: ImportSource,
  { entry, number: table, form, stream }: Table,
  done_rows: number,
): AsyncGenerator<ImportedItem> {
  const name = form.kind === "sheet" ? `${entry.path}, sheet ${form.sheet.name}` : entry.path;
  const toItem = createRowReader(stream, manifest ?? tablesImporter.manifest, isCells(form));
  const keys = createKeyCheck();
  let [number, repeated, errors] = [0, 0, 0];
  try {
    for await (const row of readRows(entry, form)) {
      number += 1;
      const item = keys.check(toItem(row, number));
      if (row.kind === "row" && row.is_repeated) repeated += 1;
      if (row.kind === "row") errors += row.errors ?? 0;
      if (number <= done_rows) continue;
      const place = `${name}, row ${number}`;
      yield { ...item, place, checkpoint: formatResume(entry.path, table, number) };
    }
  } catch (error) {
    if (!(error instanceof ApiError) || !UNREADABLE.has(error.code)) throw error;
    const reason = `Its rows after row ${number} cannot be read: ${error.message}`;
    yield { kind: "rejected", place: name, reason };
  }
  noteForm(name, form, { repeated, errors, is_full: keys.is_full }, note);
}

/** How many characters of keys to remember; more would take too much memory. */
const KEYS_MAX_CHARS = 32 * 1024 ** 2;

/** Rejects a row whose key an earlier row has: it would replace that row silently. */
function createKeyCheck(): { check(item: RowItem): RowItem; readonly is_full: boolean } {
  const seen = new Set<string>();
  let chars = 0;
  return {
    check(item) {
      if (item.kind === "rejected") return item;
      const key = JSON.stringify(item.key);
      if (seen.has(key)) return { kind: "rejected", reason: "An earlier row has the same key." };
      if (chars < KEYS_MAX_CHARS) {
        seen.add(key);
        chars += key.length;
      }
      return item;
    },
    get is_full() {
      return chars >= KEYS_MAX_CHARS;
    },
  };
}

/** Findings after reading a table to its end. */
interface TableFindings {
  /** Rows with an object that has duplicate member names. */
  readonly repeated: number;
  /** Cells with an error instead of a value. */
  readonly errors: number;
  /** Whether there were too many keys to compare. */
  readonly is_full: boolean;
}

/** Tells the owner about anything unusual in how a table was read. */
function noteForm(
  name: string,
  form: TableForm,
  { repeated, errors, is_full }: TableFindings,
  note: (sentence: string) => void,
): void {
  const skipped = form.kind === "csv" ? form.skip_lines : form.kind === "sheet" ? form.skip_rows : 0;
  const unit = form.kind === "csv" ? "lines" : "rows";
  if (skipped > 0) note(`${name}: the first ${skipped} ${unit} come before the table and were not read.`);
  if (form.kind === "json" && form.member !== undefined)
    note(`${name}: only the list ${form.member} was read.`);
  if (form.kind === "sheet" && form.sheet.is_hidden)
    note(`${name}: the workbook hides this sheet; it was read.`);
  if (errors > 0) note(`${name}: ${errors} cells hold an error instead of a value and were left empty.`);
  if (repeated > 0)
    note(`${name}: ${repeated} rows have an object with two members of one name; the last one counts.`);
  if (is_full) note(`${name}: it has too many rows to tell whether a key repeats among the last of them.`);
}
