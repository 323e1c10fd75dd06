/** Thousands of nearly valid requests: each gets a coded answer, and no text leaks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isErrorCode } from "@rungs/contract";
import { engines } from "../../testing/engines.ts";
import { type Draft, mutate, replaceEach } from "../../testing/fuzz/mutations.ts";
import { Random } from "../../testing/random.ts";
import { readSize } from "../../testing/sizes.ts";
import { createWorld, INSIDE, type Json, OUTSIDE, type World } from "../../testing/world.ts";

const SEED = Number(process.env.RUNGS_FUZZ_SEED ?? 20_260_701);
const RANDOM_REQUESTS = readSize("RUNGS_FUZZ_REQUESTS");
const CONCURRENT = 8;
const HANG_MS = 20_000;

/** Valid requests with valid cursors. */
async function listDrafts(world: World): Promise<Draft[]> {
  const note = "v1/streams/notes/records";
  const window = await world.json(`/${note}/long/field-window?field=body&limit_chars=100&offset_chars=500`);
  const page = await world.json(`/${note}?limit=2`);
  const found = await world.json("/v1/search?q=tea&limit=2");
  const last = await world.json(`/${note}?limit=100`);
  const paths = [
    "v1/schema",
    "v1/schema?stream=notes&connection_id=home",
    "v1/streams",
    "v1/streams/notes",
    "healthz",
    "openapi.json",
    "v1/search?q=tea",
    "v1/search?q=%22tea%20number%22&stream=notes&limit=3",
    `v1/search?q=tea&limit=2&cursor=${found.next_cursor}`,
    note,
    `${note}?limit=2&order=asc&fields=id,title`,
    `${note}?limit=2&cursor=${page.next_cursor}`,
    `${note}?changes_since=${last.next_changes_since}&limit=5`,
    `${note}/n1`,
    `${note}/long?fields=body`,
    `${note}/a%2Fb?connection_id=home`,
    `${note}/long/field-window?field_path=body&limit_chars=100`,
    `${note}/long/field-window?field=body&q=line&before_chars=10&after_chars=10`,
    `${note}/long/field-window?field=body&cursor=${window.window.next_cursor}`,
    `${note}/long/field-window?field=body&cursor=${window.window.previous_cursor}`,
    `${note}/json/field-window?field=payload.parts%5B1%5D.text`,
    `${note}/raw/field-window?field=raw`,
    "v1/streams/notes/query?filter=rating%3D1&order_by=rating&limit=3",
    "v1/streams/notes/aggregate?metric=avg&field=rating&group_by=done",
    "v1/streams/notes/aggregate?metric=count&time_bucket=month",
    `v1/blobs/${world.blob.blob_id}`,
    "v1/export?stream=notes",
    ".well-known/oauth-protected-resource",
  ];
  const reads = paths.map((path): Draft => {
    const [way = "", query = ""] = path.split("?");
    const params = query === "" ? [] : query.split("&").map((pair) => pair.split("=") as [string, string]);
    return {
      method: "GET",
      segments: way.split("/"),
      params,
      headers: { Authorization: `Bearer ${world.client}` },
    };
  });
  const line = JSON.stringify({
    stream: "notes",
    key: "z",
    emitted_at: "2026-05-01T00:00:00Z",
    data: { id: "z", title: "t", rating: 1 },
  });
  const ingest: Draft = {
    method: "POST",
    segments: ["v1", "connections", "work", "records"],
    params: [],
    headers: { Authorization: `Bearer ${world.owner}`, "Content-Type": "application/x-ndjson" },
    body: Buffer.from(`${line}\n${line}`),
  };
  return [...reads, ...Array.from({ length: 4 }, () => ingest)];
}

async function send(
  world: World,
  draft: Draft,
): Promise<{ status: number; text: string; headers: string } | undefined> {
  const { method, segments, params, headers, body } = draft;
  const query = params.map(([name, value]) => `${name}=${value}`).join("&");
  const url = `http://localhost/${segments.join("/")}${query === "" ? "" : `?${query}`}`;
  let request: Request;
  try {
    const init = { method, headers, body: method === "GET" || method === "HEAD" ? undefined : body };
    request = new Request(url, init as RequestInit);
  } catch {
    return undefined; // No client can send this.
  }
  const answer = await world.app.fetch(request);
  return { status: answer.status, text: await answer.text(), headers: JSON.stringify([...answer.headers]) };
}

function check(world: World, draft: Draft, answer: { status: number; text: string; headers: string }): void {
  const { status, text, headers } = answer;
  // Describe only wrong answers: formatting requests costs as much as sending them.
  const requireThat = (holds: boolean) =>
    holds || assert.fail(`RUNGS_FUZZ_SEED=${SEED} ${status} ${JSON.stringify(draft)} ${text.slice(0, 300)}`);
  requireThat(status < 500);
  requireThat(!headers.includes(OUTSIDE) && !headers.includes(INSIDE));
  if (status >= 400 && draft.method !== "HEAD") {
    const { error } = JSON.parse(text) as Json;
    requireThat(isErrorCode(error.detail_code ?? error.code));
    requireThat(!text.includes(OUTSIDE) && !text.includes(INSIDE));
  }
  const isOwner = draft.headers.Authorization === `Bearer ${world.owner}`;
  requireThat(isOwner || !text.includes(OUTSIDE));
}

/** The requests of a run: every nasty value in every place, then random ones. */
function* listRequests(drafts: readonly Draft[], count: number): Generator<Draft> {
  for (const draft of drafts) yield* replaceEach(draft);
  const random = new Random(SEED);
  for (let at = 0; at < count; at += 1) yield mutate(random.pick(drafts), random);
}

async function run(engine: string, random: number): Promise<number> {
  const world = await createWorld(engine);
  const requests = listRequests(await listDrafts(world), random);
  const statuses = new Map<number, number>();
  let sent = 0;
  const work = async (): Promise<void> => {
    for (const draft of requests) {
      const timer = setTimeout(() => assert.fail(`hangs: ${JSON.stringify(draft)}`), HANG_MS);
      const answer = await send(world, draft);
      clearTimeout(timer);
      if (!answer) continue;
      check(world, draft, answer);
      sent += 1;
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  const rows = JSON.stringify(await world.store.listAudit(world.owner_id, { limit: 100_000 }));
  for (const [name, text] of [
    ["log", JSON.stringify(world.logs)],
    ["audit", rows],
  ] as const) {
    for (const marker of [OUTSIDE, INSIDE, world.client, world.owner])
      assert.ok(!text.includes(marker), `${marker} in the ${name}`);
  }
  assert.deepEqual(await world.store.check(world.owner_id), []);
  assert.ok(
    (statuses.get(200) ?? 0) > sent / 10 && statuses.size >= 8,
    `a poor mixture: ${JSON.stringify([...statuses])}`,
  );
  await world.close();
  return sent;
}

for (const engine of Object.keys(engines))
  test(`mutated requests: coded answers, no 5xx, no hang, no text in an error or a log (${engine})`, async (context) => {
    const sent = await run(engine, RANDOM_REQUESTS);
    assert.ok(sent > RANDOM_REQUESTS, String(sent));
    context.diagnostic(`${sent} requests`);
  });
