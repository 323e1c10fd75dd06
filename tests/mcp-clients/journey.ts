/** The whole ladder, climbed by one kind of client. */
import assert from "node:assert/strict";
import { revokeGrant } from "@rungs/server";
import { type Climber, Refused, type Step, type Window } from "../../testing/mcp/climber.ts";
import { LONG_TEXT, type World } from "../../testing/world.ts";

interface Traveller {
  readonly climber: Climber;
  readonly world: World;
  readonly grant_id: string;
}

/** Search, decide, read, page to the end and back, fetch, reach a file, and recover from errors. */
export async function climb({ climber, world, grant_id }: Traveller): Promise<void> {
  const found = await climber.search('"line 2500"');
  const [hit] = found.filter(({ evidence }) => /line 2500/.test(evidence));
  assert.equal(hit?.id, "home/notes:long");

  const window = await climber.read(hit.open);
  assert.match(window.text, /line 2500 /);
  const last = await follow(climber, window, "next");
  assert.equal(last.end_chars, [...LONG_TEXT].length);
  assert.equal(await readBackwards(climber, last), LONG_TEXT);

  const fetched = await climber.fetch(hit.id);
  assert.equal(fetched.id, hit.id);
  assert.match(fetched.seen, /Long note/);
  assert.equal((await climber.read(fetched.steps[0] as Step)).start_chars, 1024);

  await reachBlob(climber);
  await recoverFromAmbiguity(climber);
  await recoverFromChange(climber, world);
  await revokeGrant({ store: world.store, owner_id: world.owner_id, now: () => world.clock.now }, grant_id);
  const ended = await refused(climber.search("tea"));
  assert.equal(ended.code, "grant_revoked");
  assert.match(ended.message, /Ask the owner for a new grant\.$/);
}

async function follow(climber: Climber, from: Window, way: "next" | "previous"): Promise<Window> {
  let window = from;
  for (let step = window[way]; step; step = window[way]) window = await climber.read(step);
  return window;
}

async function readBackwards(climber: Climber, last: Window): Promise<string> {
  const texts = [last.text];
  let start = last.start_chars;
  for (let step = last.previous; step; ) {
    const window = await climber.read(step);
    assert.equal(window.end_chars, start, "windows neither overlap nor skip");
    texts.unshift(window.text);
    start = window.start_chars;
    step = window.previous;
  }
  assert.equal(start, 0);
  return texts.join("");
}

async function reachBlob(climber: Climber): Promise<void> {
  const [picture] = await climber.search("Picture");
  assert.equal(picture?.id, "home/notes:picture");
  const { steps } = await climber.fetch(picture.id);
  const blob = await climber.blob(steps[0] as Step);
  assert.equal(blob.text, undefined, "only what it is, until more is asked for");
  const read = await climber.blob(blob.next as Step);
  assert.equal(read.text, "picture bytes 0123456789");
}

async function recoverFromAmbiguity(climber: Climber): Promise<void> {
  const refusal = await refused(climber.fetch("notes:n3"));
  assert.equal(refusal.code, "ambiguous_connection");
  const choices = await Promise.all(refusal.tries.map((choice) => climber.fetch(choice)));
  assert.deepEqual(
    choices.map(({ id }) => id),
    ["home/notes:n3", "work/notes:n3"],
  );
}

async function recoverFromChange(climber: Climber, world: World): Promise<void> {
  const key = `changing-${Math.random().toString(36).slice(2)}`;
  const write = async (word: string) => {
    const data = { id: key, title: key, body: `${word} `.repeat(3000) };
    await world.store.ingest(world.owner_id, "home", [
      { stream: "notes", key, emitted_at: "2026-05-02T00:00:00Z", data },
    ]);
  };
  await write("before");
  const { steps } = await climber.fetch(`home/notes:${key}`);
  const first = await climber.read(steps[0] as Step);
  await write("after");
  const refusal = await refused(climber.read(first.next as Step));
  assert.equal(refusal.code, "cursor_stale");
  assert.equal(refusal.tries.length, 1);
  const [again] = refusal.tries;
  assert.equal(
    "uri" in again!,
    "uri" in (first.next as Step),
    "the next step is of the kind that was followed",
  );
  const window = await climber.read(again as Step);
  assert.equal(window.start_chars, 0);
  assert.match(window.text, /^after /);
}

async function refused(answer: Promise<unknown>): Promise<Refused> {
  const outcome = await answer.catch((error: unknown) => error);
  assert.ok(outcome instanceof Refused, String(outcome));
  return outcome;
}
