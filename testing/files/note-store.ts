/** A small database of Apple's Notes, and the download of iCloud Notes, for tests. */
import { gzipSync } from "node:zlib";
import { makeDatabase } from "./database.ts";

const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];

/** A field of a protobuf message: a number, a string, or an embedded message. */
function field(number: number, value: number | string | Uint8Array): Buffer {
  if (typeof value === "number") return Buffer.from([...varint(number << 3), ...varint(value)]);
  const bytes = Buffer.from(value as string);
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
}

const message = (...fields: readonly Uint8Array[]) => Buffer.concat(fields);

/** A run of text: its characters, and fields beside its length. */
export interface NoteRun {
  readonly text: string;
  readonly style?: number;
  readonly done?: boolean;
  readonly link?: string;
  readonly attachment?: string;
}

/** The content of a note as the database has it. */
export function makeNoteData(runs: readonly NoteRun[]): Buffer {
  const note = message(
    field(2, runs.map(({ text }) => text).join("")),
    ...runs.map(({ text, style, done, link, attachment }) =>
      field(
        5,
        message(
          field(1, text.length),
          ...(style === undefined
            ? []
            : [field(2, message(field(1, style), field(5, message(field(1, "u"), field(2, done ? 1 : 0)))))]),
          ...(link === undefined ? [] : [field(9, link)]),
          ...(attachment === undefined
            ? []
            : [field(12, message(field(1, attachment), field(2, "public.png")))]),
        ),
      ),
    ),
  );
  return gzipSync(message(field(2, message(field(2, 1), field(3, note)))));
}

/** The tables of the database, and its folders. */
export const NOTE_STORE_SCHEMA = `
CREATE TABLE ZICCLOUDSYNCINGOBJECT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZIDENTIFIER VARCHAR, ZTITLE1 VARCHAR, ZTITLE2 VARCHAR, ZTITLE VARCHAR,
  ZSNIPPET VARCHAR, ZNAME VARCHAR, ZFOLDER INTEGER, ZPARENT INTEGER, ZOWNER INTEGER, ZFOLDERTYPE INTEGER, ZNOTEDATA INTEGER, ZNOTE INTEGER, ZNOTE1 INTEGER,
  ZMEDIA INTEGER, ZTYPEUTI VARCHAR, ZTYPEUTI1 VARCHAR, ZFILENAME VARCHAR, ZURLSTRING VARCHAR, ZALTTEXT VARCHAR, ZSUMMARY VARCHAR, ZOCRSUMMARY VARCHAR,
  ZCREATIONDATE3 TIMESTAMP, ZMODIFICATIONDATE1 TIMESTAMP, ZISPINNED INTEGER, ZISPASSWORDPROTECTED INTEGER, ZMARKEDFORDELETION INTEGER);
CREATE TABLE ZICNOTEDATA (Z_PK INTEGER PRIMARY KEY, ZNOTE INTEGER, ZDATA BLOB);
INSERT INTO ZICCLOUDSYNCINGOBJECT (Z_PK, ZNAME) VALUES (1, 'iCloud');
INSERT INTO ZICCLOUDSYNCINGOBJECT (Z_PK, ZTITLE2, ZOWNER, ZPARENT, ZFOLDERTYPE) VALUES (2, 'Boat', 1, NULL, 0), (3, 'Ropes', 1, 2, 0), (4, 'Recently Deleted', 1, NULL, 1);
`;

const ATTACHMENTS = `
INSERT INTO ZICCLOUDSYNCINGOBJECT (Z_PK, ZIDENTIFIER, ZFILENAME) VALUES (5, 'MEDIA-1', 'scan.png');
INSERT INTO ZICCLOUDSYNCINGOBJECT (Z_PK, ZIDENTIFIER, ZTYPEUTI, ZNOTE, ZMEDIA, ZOCRSUMMARY) VALUES (6, 'ATT-1', 'public.png', 20, 5, 'Bill of tar');
INSERT INTO ZICCLOUDSYNCINGOBJECT (Z_PK, ZIDENTIFIER, ZTYPEUTI1, ZNOTE1, ZALTTEXT) VALUES (7, 'TAG-1', 'com.apple.notes.inlinetextattachment.hashtag', 20, '#rope');
INSERT INTO ZICCLOUDSYNCINGOBJECT (Z_PK, ZIDENTIFIER, ZTYPEUTI, ZNOTE, ZSUMMARY) VALUES (8, 'TABLE-1', 'com.apple.notes.table', 20, 'Tar\n3 €');
`;

/** The path of the first note's picture, below the folder of the database. */
export const SCAN_PATH = "Accounts/A-1/Media/MEDIA-1/1_G/scan.png";

/** The bytes of the database: a note with a list, a tag, a table and a picture, a deleted, a locked and a damaged one. */
export function makeNoteStore(): Uint8Array {
  return makeDatabase((database) => {
    database.exec(NOTE_STORE_SCHEMA + ATTACHMENTS);
    const data = database.prepare("INSERT INTO ZICNOTEDATA VALUES (?, NULL, ?)");
    data.run(
      1,
      makeNoteData([
        { text: "Shopping 🪢\n", style: 0 },
        { text: "tar\n", style: 103, done: true },
        { text: "rope 縄\n", style: 103 },
        { text: "see " },
        { text: "the shop", link: "https://ropes.example/" },
        { text: "\n" },
        { text: "\ufffc", attachment: "TAG-1" },
        { text: "\n\ufffc", attachment: "TABLE-1" },
        { text: "\ufffc", attachment: "ATT-1" },
      ]),
    );
    data.run(2, makeNoteData([{ text: "Old plan\nSell the boat" }]));
    data.run(3, Buffer.from("not gzip"));
    const note = database.prepare(
      "INSERT INTO ZICCLOUDSYNCINGOBJECT (Z_PK, ZIDENTIFIER, ZTITLE1, ZFOLDER, ZNOTEDATA, ZCREATIONDATE3, ZMODIFICATIONDATE1, ZISPINNED, ZISPASSWORDPROTECTED) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    const second = (day: number) => (Date.UTC(2024, 0, day) - Date.UTC(2001, 0)) / 1000 + 0.5;
    note.run(20, "NOTE-1", "Shopping 🪢", 3, 1, second(1), second(2), 1, 0);
    note.run(21, "NOTE-2", "Old plan", 4, 2, second(1), second(3), 0, 0);
    note.run(22, "NOTE-3", "Secret", 2, 2, second(1), second(3), 0, 1);
    note.run(23, "NOTE-4", "Broken", 2, 3, second(1), second(3), 0, 0);
  });
}

/** The download of iCloud Notes by path. */
export function makeDownloadedNotes(): Record<string, string> {
  return {
    "iCloud Notes/Notes Details.csv":
      "Title, Created On, Modified On, Pinned, Deleted, Drawing/Handwriting, ContentHash at Import\nShopping 🪢,04-12-2026 09:00:00,04-13-2026 10:30:00,Yes,No,No,\nOld plan,04-01-2026 09:00:00,04-01-2026 09:00:00,No,Yes,No,\n",
    "iCloud Notes/Notes/Boat/Ropes/Shopping 🪢/Shopping 🪢.txt": "Shopping 🪢\ntar\nrope 縄\n",
    "iCloud Notes/Notes/Boat/Ropes/Shopping 🪢/scan.png": "\u0089PNG",
    "iCloud Notes/Recently Deleted/Old plan/Old plan.txt": "Old plan\nSell the boat",
  };
}
