/** A read-only home: one sentence reports it, and the server starts again when the home is writable. */
import assert from "node:assert/strict";
import type { OwnerContext } from "@rungs/server";
import { createNote } from "../notes.ts";
import { createFilePlace, createFolder } from "../places.ts";
import { runProgram, startServer } from "../program.ts";
import { verifyPlace } from "../verify.ts";
import { CONNECTION, createWorld, IMPORTS } from "../world.ts";
import { makeReadOnly } from "./small-disk.ts";

const NOTES = 50;

/** Tries to use a read-only home; undefined where none can be made. */
export async function soakReadOnly(): Promise<number | undefined> {
  const place = createFilePlace(createFolder());
  const numbers = new Map(Array.from({ length: NOTES }, (_, at) => [`n${at}`, at] as const));
  const fill = async ({ store, owner_id }: OwnerContext) =>
    store.ingest(
      owner_id,
      CONNECTION,
      [...numbers].map(([key, number]) => createNote(key, number)),
    );
  try {
    const world = await createWorld(place, { fill });
    const makeWritable = makeReadOnly(place.folder);
    if (!makeWritable) return undefined;
    try {
      await requireSentence(["serve", "--port", "0"], place.address);
      await requireSentence(["token", "owner"], place.address);
    } finally {
      makeWritable();
    }
    await (await startServer(world)).stop();
    return await verifyPlace(place, { [CONNECTION]: numbers, [IMPORTS]: new Map() });
  } finally {
    await place.remove();
  }
}

async function requireSentence(argv: readonly string[], address: string): Promise<void> {
  const { code, err } = await runProgram([...argv, "--database", address]);
  assert.ok(code !== 0 && code !== null, `${argv[0]} ended with ${code}`);
  assert.match(err, /^rungs: [^\n]*(?:read-only|cannot be (?:written|opened)|permission denied)[^\n]*\n$/i);
}
