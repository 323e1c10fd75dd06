/** The steps of an agent: schema, search, a window of the best hit, the next windows, the record, its file. */
import assert from "node:assert/strict";
import type { OwnerContext } from "@rungs/server";
import type { Json } from "./ask.ts";
import type { Get } from "./get.ts";
import { COMMON, createNote, STREAM, wordFor } from "./notes.ts";
import { CONNECTION } from "./world.ts";

const GROUP = 70;
const FILE_BYTES = 70_000;
const NEXT_WINDOWS = 2;

/** Stores notes; every seventh is long and has a file, which ten long notes share. */
export async function fillLadder({ store, owner_id }: OwnerContext, records: number): Promise<void> {
  for (let at = 0; at < records; at += GROUP) {
    const picture = await store.putBlob(owner_id, CONNECTION, createFile(at), "text/plain");
    const size = Math.min(GROUP, records - at);
    const notes = Array.from({ length: size }, (_, index) => createNote(`n${at + index}`, at + index));
    const withFile = notes.map((note) => ({ ...note, data: { ...note.data, picture: { ...picture } } }));
    await store.ingest(owner_id, CONNECTION, withFile);
  }
  await store.tidy(owner_id);
}

async function* createFile(number: number): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(FILE_BYTES, `file ${number} `);
}

/** How long each step took, by its name. */
export type StepTimes = Map<string, number[]>;

export interface Climb {
  readonly get: Get;
  readonly token: string;
  /** How many notes there are. */
  readonly records: number;
  readonly random: () => number;
  /** Called with the duration of each step. */
  readonly record: (name: string, ms: number) => void;
  /** Pauses between two steps. */
  readonly pause: () => Promise<unknown>;
}

/** Climbs once: each step uses the result of the previous one, and every read matches what was written. */
export async function climb(options: Climb): Promise<void> {
  const { records, random } = options;
  const step = async (name: string, path: string, headers?: Record<string, string>): Promise<Json> => {
    const began = performance.now();
    const answer = await options.get(path, options.token, headers);
    options.record(name, performance.now() - began);
    await options.pause();
    return answer;
  };
  // A long note, with several windows.
  const number = Math.floor((random() * records) / 7) * 7;
  const at = `connection_id=${CONNECTION}`;
  await step("schema", "/v1/schema");
  await step("search, all match", `/v1/search?q=${COMMON}`);
  const { data } = await step("search, one matches", `/v1/search?q=${wordFor(number)}`);
  assert.equal(data[0].record_id, `n${number}`);
  const record = `/v1/streams/${STREAM}/records/n${number}`;
  let { window } = await step("window", `${record}/field-window?${at}&field_path=body`);
  assert.ok(window.text.startsWith(COMMON));
  for (let next = 0; next < NEXT_WINDOWS; next += 1) {
    const { end_chars } = window;
    const cursor = encodeURIComponent(window.next_cursor);
    ({ window } = await step("next window", `${record}/field-window?${at}&field_path=body&cursor=${cursor}`));
    assert.equal(window.start_chars, end_chars);
  }
  const { data: fields } = await step("fetch", `${record}?${at}`);
  const bytes = await step("blob", `/v1/blobs/${fields.picture.blob_id}`, { Range: "bytes=1000-66535" });
  assert.equal(bytes.length, 65_536);
}
