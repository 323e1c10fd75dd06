/** The tables of `NoteStore.sqlite`. All objects of Notes are rows of one table, whatever they are. */
import type { DatabaseSync } from "node:sqlite";
import { createRowFinder, listTables, type SqliteRow, scanTable, toText } from "../files/sqlite-scan.ts";

const OBJECTS = "ZICCLOUDSYNCINGOBJECT";
const DATA = "ZICNOTEDATA";

/** The tables that identify the database. */
export const NOTE_STORE = { name: /(?:^|\/)NoteStore\.sqlite$/i, table: DATA };

/** Whether a database has the tables of Notes. */
export function isNoteStore(database: DatabaseSync): boolean {
  const tables = listTables(database);
  return tables.has(OBJECTS) && tables.has(DATA);
}

/** A folder, its parent and its account. */
interface Folder {
  readonly title: string;
  readonly parent: unknown;
  readonly account: unknown;
  readonly is_trash: boolean;
}

/** Rows that notes refer to: small, and held in memory by number. */
export interface NoteObjects {
  readonly folders: ReadonlyMap<bigint, Folder>;
  readonly accounts: ReadonlyMap<bigint, string>;
  /** The row of each attachment, by its identifier. */
  readonly attachments: ReadonlyMap<string, bigint>;
  /** The rows of the attachments of a note, by its row. */
  readonly attached: ReadonlyMap<bigint, readonly bigint[]>;
  findObject(row_id: bigint): SqliteRow | undefined;
  findData(row_id: bigint): SqliteRow | undefined;
}

const FOLDER_COLUMNS = ["ZTITLE2", "ZPARENT", "ZFOLDERTYPE", "ZNAME", "ZACCOUNT", "ZOWNER"];
const LINK_COLUMNS = ["ZIDENTIFIER", "ZNOTE", "ZNOTE1", "ZTYPEUTI", "ZTYPEUTI1", "ZMARKEDFORDELETION"];
const OBJECT_COLUMNS = [
  "ZIDENTIFIER",
  "ZTYPEUTI",
  "ZTYPEUTI1",
  "ZMEDIA",
  "ZFILENAME",
  "ZTITLE",
  "ZUSERTITLE",
  "ZURLSTRING",
  "ZALTTEXT",
  "ZSUMMARY",
  "ZOCRSUMMARY",
  "ZHANDWRITINGSUMMARY",
  "ZADDITIONALINDEXABLETEXT",
];
const TRASH = 1n;

/** Reads folders, accounts and the places of attachments. */
export function readNoteObjects(database: DatabaseSync): NoteObjects {
  const folders = new Map<bigint, Folder>();
  const accounts = new Map<bigint, string>();
  const attachments = new Map<string, bigint>();
  const attached = new Map<bigint, bigint[]>();
  const columns = [...FOLDER_COLUMNS, ...LINK_COLUMNS];
  for (const row of scanTable(database, { table: OBJECTS, columns })) {
    const [title, name] = [toText(row.ZTITLE2), toText(row.ZNAME)];
    if (title !== undefined) {
      const account = row.ZOWNER ?? row.ZACCOUNT;
      folders.set(row.row_id, { title, parent: row.ZPARENT, account, is_trash: row.ZFOLDERTYPE === TRASH });
    } else if (name !== undefined) accounts.set(row.row_id, name);
    const identifier = toText(row.ZIDENTIFIER);
    if (identifier === undefined || (row.ZTYPEUTI ?? row.ZTYPEUTI1) === null) continue;
    if (row.ZMARKEDFORDELETION === 1n) continue;
    attachments.set(identifier, row.row_id);
    const note = row.ZNOTE ?? row.ZNOTE1;
    if (typeof note === "bigint") attached.set(note, [...(attached.get(note) ?? []), row.row_id]);
  }
  return {
    folders,
    accounts,
    attachments,
    attached,
    findObject: createRowFinder(database, OBJECTS, OBJECT_COLUMNS),
    findData: createRowFinder(database, DATA, ["ZDATA"]),
  };
}

const NOTE_COLUMNS = [
  "ZIDENTIFIER",
  "ZTITLE1",
  "ZSNIPPET",
  "ZFOLDER",
  "ZNOTEDATA",
  "ZCREATIONDATE1",
  "ZCREATIONDATE2",
  "ZCREATIONDATE3",
  "ZMODIFICATIONDATE1",
  "ZISPINNED",
  "ZISPASSWORDPROTECTED",
  "ZMARKEDFORDELETION",
];

/** The notes after a row. */
export function* listNotes(database: DatabaseSync, after: number) {
  for (const row of scanTable(database, { table: OBJECTS, columns: NOTE_COLUMNS, after })) {
    if (typeof row.ZNOTEDATA === "bigint") yield row;
  }
}

const DEPTH_MAX = 50;

/** Where a note is: the folders that it is in, the account, and whether that is the trash. */
export function describeFolder({ folders, accounts }: NoteObjects, row_id: unknown) {
  const titles: string[] = [];
  let [is_deleted, account] = [false, undefined as string | undefined];
  for (let at = row_id; typeof at === "bigint" && titles.length < DEPTH_MAX; ) {
    const folder = folders.get(at);
    if (!folder) break;
    titles.unshift(folder.title);
    is_deleted ||= folder.is_trash;
    account ??= typeof folder.account === "bigint" ? accounts.get(folder.account) : undefined;
    at = folder.parent as bigint;
  }
  return { folder: titles.join("/"), account, is_deleted: is_deleted ? true : undefined };
}
