/** A damaged page: `rungs doctor` reports it, and every read gives the correct answer or a coded error. */
import assert from "node:assert/strict";
import { closeSync, copyFileSync, openSync, readFileSync, writeSync } from "node:fs";
import { CONTRACT_VERSION } from "@rungs/contract";
import { createServer, type OwnerContext, openSealer } from "@rungs/server";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { createRandom } from "../../testing/random.ts";
import { COMMON, createNote, STREAM, wordFor } from "../notes.ts";
import { createFilePlace, createFolder, type Place } from "../places.ts";
import { CONNECTION, createWorld } from "../world.ts";

const NOTES = 400;
const PAGE_BYTES = 8192;
/** The first byte of a page of a tree (https://sqlite.org/fileformat2.html#b_tree_pages). */
const TREE_PAGES = new Set([2, 5, 10, 13]);
/** SQLite's codes for a damaged database, or a file that is not a database. */
const DAMAGED = new Set([11, 26]);
const REFUSED = "503 database_unavailable";

/** How b-tree pages were damaged, and the results. */
export interface DamageFigures {
  readonly damaged: number;
  /** Counts of reads: correct answers despite the damage, and errors. */
  right: number;
  refused: number;
}

type Reads = Readonly<Record<string, string>>;

/** Damages one page after another, each in a separate copy. */
export async function soakDamage(pages: number): Promise<DamageFigures> {
  const place = createFilePlace(createFolder());
  try {
    const { agents } = await createWorld(place, { fill: fillNotes });
    const [token = ""] = agents;
    const truth = await readAll(place, token);
    const figures: DamageFigures = { damaged: pages, right: 0, refused: 0 };
    const random = createRandom(pages);
    const numbers = listTreePages(place.address);
    for (let round = 0; round < pages; round += 1) {
      const page = numbers[Math.floor(random() * numbers.length)] as number;
      await readDamaged(place, { page, random, token, truth, figures });
    }
    return figures;
  } finally {
    await place.remove();
  }
}

async function fillNotes({ store, owner_id }: OwnerContext): Promise<void> {
  const notes = Array.from({ length: NOTES }, (_, at) => createNote(`n${at}`, at));
  for (let at = 0; at < NOTES; at += 100) await store.ingest(owner_id, CONNECTION, notes.slice(at, at + 100));
}

/** The pages that hold rows, except the first, which also holds the file header. */
function listTreePages(file: string): number[] {
  const bytes = readFileSync(file);
  const count = bytes.length / PAGE_BYTES;
  return Array.from({ length: count }, (_, page) => page).filter((page) =>
    TREE_PAGES.has(bytes[page * PAGE_BYTES + (page === 0 ? 100 : 0)] ?? 0),
  );
}

interface Damage {
  readonly page: number;
  readonly random: () => number;
  readonly token: string;
  readonly truth: Reads;
  readonly figures: DamageFigures;
}

async function readDamaged(place: Place, { page, random, token, truth, figures }: Damage): Promise<void> {
  const copy = createFilePlace(createFolder());
  try {
    copyFileSync(place.address, copy.address);
    damagePage(copy.address, page, random);
    await requireDiagnosis(copy);
    const answers = await readAll(copy, token).catch(requireDamage);
    for (const [path, right] of Object.entries(truth)) {
      const answer = answers?.[path] ?? REFUSED;
      assert.ok(answer === right || answer === REFUSED, `page ${page}: ${path}: ${answer.slice(0, 300)}`);
      figures[answer === right ? "right" : "refused"] += 1;
    }
  } finally {
    await copy.remove();
  }
}

async function requireDiagnosis({ address }: Place): Promise<void> {
  const { code, out } = await rungsHere(["doctor", "--json", "--database", address], {});
  assert.equal(code, 1, "doctor finds nothing wrong");
  assert.match(out, /damaged|not a database/);
}

/** Opening may fail only with an error that the file is damaged. */
function requireDamage(error: Error & { errcode?: number }): undefined {
  assert.ok(DAMAGED.has((error.errcode ?? 0) & 0xff), error.stack ?? error.message);
}

/** Overwrites the whole page, or only its header. */
function damagePage(file: string, page: number, random: () => number): void {
  const handle = openSync(file, "r+");
  const length = random() < 0.5 ? PAGE_BYTES : 8;
  const bytes = Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
  // Not a valid first byte of a b-tree page.
  bytes[0] = 0xff;
  writeSync(handle, bytes, 0, length, page * PAGE_BYTES);
  closeSync(handle);
}

/** Every kind of read: its answer, or its error code. */
async function readAll(place: Place, token: string): Promise<Reads> {
  const store = await place.open();
  try {
    const app = createServer({ store, sealer: await openSealer(store), now: () => 0 });
    const headers = { Authorization: `Bearer ${token}`, "PDPP-Version": CONTRACT_VERSION };
    const answers: Record<string, string> = {};
    for (const path of listReads()) {
      const answer = await app.request(path, { headers });
      const text = await answer.text();
      answers[path] = answer.status === 200 ? text : `${answer.status} ${JSON.parse(text).error.code}`;
    }
    return answers;
  } finally {
    await store.close().catch(() => undefined);
  }
}

function listReads(): string[] {
  const at = `connection_id=${CONNECTION}`;
  const sample = Array.from({ length: 12 }, (_, at) => Math.floor((at * NOTES) / 12));
  return [
    "/v1/schema",
    `/v1/search?q=${COMMON}&limit=20`,
    `/v1/streams/${STREAM}/records?${at}&limit=100`,
    `/v1/streams/${STREAM}/aggregate?${at}&metric=count`,
    ...sample.flatMap((number) => [
      `/v1/search?q=${wordFor(number)}`,
      `/v1/streams/${STREAM}/records/n${number}?${at}`,
      `/v1/streams/${STREAM}/records/n${number}/field-window?${at}&field_path=body&offset_chars=20&limit_chars=100`,
    ]),
  ];
}
