/** Databases: a table in CSV, and a folder with a page for each row. */
import { posix } from "node:path";
import type { ImportedItem } from "@rungs/contract";
import { parse } from "csv-parse/sync";
import type { FileEntry } from "../files/files.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { readCsvRows } from "../tables/csv-rows.ts";
import type { NotionContext, NotionDatabase } from "./context.ts";
import { readPageName } from "./page-names.ts";
import { describeProperties } from "./properties.ts";

const HEAD_BYTES = 64 * 1024;

/** The databases by their id. Prefers the table of all rows, `_all.csv`, to that of one view. */
export async function listDatabases(tables: readonly FileEntry[]): Promise<Map<string, NotionDatabase>> {
  const databases = new Map<string, NotionDatabase>();
  for (const file of tables.toSorted((a, b) => Number(isAll(a)) - Number(isAll(b)))) {
    const { id } = readPageName(file.path);
    if (id !== undefined) databases.set(id, { id, file, columns: await readColumns(file) });
  }
  return databases;
}

const isAll = ({ path }: FileEntry) => /_all\.csv$/i.test(path);

async function readColumns(file: FileEntry): Promise<string[]> {
  try {
    const [columns = []] = parse(Buffer.from(await file.head(HEAD_BYTES)), {
      bom: true,
      to: 1,
      relax_column_count: true,
      relax_quotes: true,
    }) as string[][];
    return columns;
  } catch {
    return [];
  }
}

/** The record of a database, and of each row that has no page. `titles` counts the pages of its folder by title. */
export async function* readDatabase(
  { tree }: NotionContext,
  { id, file, columns }: NotionDatabase,
  titles: Map<string, number>,
): AsyncGenerator<ImportedItem> {
  const { title } = readPageName(file.path);
  const path = tree.describePath(file.path);
  const parent_id = tree.findParent(file.path);
  yield toRecordItem("pages", file.path, {
    id: joinKey(id),
    title,
    kind: "database",
    path,
    parent_id,
    columns,
  });
  const names = columns.map((column, at) =>
    columns.indexOf(column) === at && column !== "" ? column : `${column} ${at + 1}`,
  );
  const form = { kind: "csv", charset: "utf-8", delimiter: ",", newline: "\n", skip_lines: 0 } as const;
  const seen = new Map<string, number>();
  let number = 0;
  for await (const row of readCsvRows(file, { ...form, has_header: true, names })) {
    number += 1;
    const place = `${file.path}, row ${number}`;
    if (row.kind === "problem") {
      yield { kind: "rejected", place, reason: row.reason };
      continue;
    }
    const cells = row.values as Readonly<Record<string, string>>;
    const name = cells[names[0] ?? ""] ?? "";
    const left = titles.get(name) ?? 0;
    titles.set(name, left - 1);
    if (left > 0) continue;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    const properties = Object.fromEntries(
      Object.entries(cells).filter(([column, cell]) => column !== names[0] && cell !== ""),
    );
    if (name === "" && Object.keys(properties).length === 0) continue;
    yield toRecordItem("pages", place, {
      id: joinKey(id, name, String(count)),
      title: name,
      kind: "row",
      path: [path, title].filter((part) => part !== "").join(" / "),
      parent_id: id,
      database_id: id,
      ...describeProperties(properties),
    });
  }
}

/** Whether a page is in the folder of a database. */
export function isInDatabase({ file }: NotionDatabase, page: string): boolean {
  const folder = file.path.replace(/(?:_all)?\.csv$/i, "");
  const named = posix.join(posix.dirname(folder), readPageName(folder).title);
  return [folder, named].includes(posix.dirname(page));
}
