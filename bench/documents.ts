/**
 * `npm run bench documents -- --dir DIR…`: compares the imported text of documents with that from pdftotext and pandoc,
 * word by word. The caller provides the documents, which stay outside the repository.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { createExtractor, type Extraction } from "@rungs/importers";
import { findOracles, type ReadReference } from "./document-oracles.ts";
import { say } from "./figures.ts";
import { printTable } from "./measure.ts";
import { compareWords, listAgreed, listWords, type WordOverlap } from "./word-recall.ts";

/** With fewer words from the other program, a share is meaningless. */
const MIN_WORDS = 5;
/** Files below this recall are listed. */
const GOAL_P10 = 0.9;
const SHOWN_FILES = 40;

/** One document that both programs read. */
export interface ComparedDocument extends WordOverlap {
  readonly path: string;
  readonly words: number;
  /** The same by letters: near 1 if the programs only split words differently. */
  readonly letters: number;
  /** How its text was read: `complete`, or the reason for what is missing. */
  readonly status: string;
}

/** The documents of one kind in one folder. */
export interface DocumentSet {
  readonly compared: readonly ComparedDocument[];
  readonly files: number;
  /** Files that the other program does not read, or in which it finds fewer than five words in each of its ways. */
  readonly without_reference: number;
}

export async function benchDocuments(folders: readonly string[]): Promise<void> {
  const { readers, versions, missing } = await findOracles();
  for (const sentence of missing) say(sentence);
  if (readers.size === 0) return;
  const rows: string[][] = [];
  for (const folder of folders) {
    for (const [extension, read] of readers) {
      const set = await compareDocuments(folder, extension, read);
      if (set.files === 0) continue;
      rows.push([basename(folder), extension, ...renderSet(set)]);
      printWorst(set);
    }
  }
  printTable(
    `Text of documents, compared by words with ${versions.join(" and ")}`,
    [
      "folder",
      "kind",
      "files",
      "compared",
      "recall median / p10",
      "goal",
      "letters median / p10",
      "precision median / p10",
      "words below 0.90: told, other words of the same letters, not told",
    ],
    rows,
  );
}

/** Compares every document with this extension in a folder and its subfolders. */
export async function compareDocuments(
  folder: string,
  extension: string,
  read: ReadReference,
): Promise<DocumentSet> {
  const paths = listFiles(folder).filter((path) => extname(path).toLowerCase() === `.${extension}`);
  const compared: ComparedDocument[] = [];
  const extractor = createExtractor();
  try {
    for (const path of paths) {
      const expected = listAgreed(await read(path, extension));
      if (expected.length < MIN_WORDS) continue;
      const extraction = await extractor.extract({ bytes: readFileSync(path), file_name: basename(path) });
      const found = listWords(extraction.kind === "text" ? listShown(extraction) : "");
      compared.push({
        path,
        words: expected.length,
        status: describeExtraction(extraction),
        ...compareWords(expected, found),
        letters: compareWords([...expected.join("")], [...found.join("")]).recall,
      });
    }
  } finally {
    await extractor.close();
  }
  return { compared, files: paths.length, without_reference: paths.length - compared.length };
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Other programs also print hidden text, which we keep in another field. */
function listShown({ text, hidden = "" }: Extract<Extraction, { kind: "text" }>): string {
  return `${text}\n${hidden}`;
}

function describeExtraction(extraction: Extraction): string {
  if (extraction.kind !== "text") return extraction.reason;
  const { cut, missing, uncertain } = extraction;
  return (cut && `Cut at a limit: ${cut}.`) ?? missing ?? uncertain ?? COMPLETE;
}

const COMPLETE = "complete";

function renderSet({ compared, files }: DocumentSet): string[] {
  const low = compared.filter(({ recall }) => recall < GOAL_P10);
  const told = low.filter(({ status }) => status !== COMPLETE).length;
  const split = low.filter((each) => each.status === COMPLETE && isSplit(each)).length;
  return [
    String(files),
    String(compared.length),
    renderShares(compared.map(({ recall }) => recall)),
    `1.00 / ${GOAL_P10.toFixed(2)}`,
    renderShares(compared.map(({ letters }) => letters)),
    renderShares(compared.map(({ precision }) => precision)),
    `${told}, ${split}, ${low.length - told - split}`,
  ];
}

/** Rotated and spaced text, and some scripts: word boundaries differ, and nothing is lost. */
function isSplit({ letters }: ComparedDocument): boolean {
  return letters >= SAME_LETTERS;
}

const SAME_LETTERS = 0.98;

/** The median, and the share that nine of ten documents reach. */
function renderShares(shares: readonly number[]): string {
  const sorted = shares.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 1).toFixed(2);
  return `${at(0.5)} / ${at(0.1)}`;
}

/** Terminal only: these lines quote the documents. */
function printWorst({ compared }: DocumentSet): void {
  const worst = compared.filter(({ recall }) => recall < GOAL_P10).toSorted((a, b) => a.recall - b.recall);
  for (const each of worst.slice(0, SHOWN_FILES)) {
    const { path, words, recall, status, lost } = each;
    const reason =
      status === COMPLETE && isSplit(each) ? "The same letters, broken into other words." : status;
    console.log(`${recall.toFixed(2)} of ${words} words: ${path}: ${reason} Lost: ${lost.join(" ")}`);
  }
  if (worst.length > SHOWN_FILES) console.log(`and ${worst.length - SHOWN_FILES} more.`);
}
