/**
 * Golden files of search pages, as each kind of client sees them: text, structured content, both, and the URIs in
 * `_meta`.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertGolden } from "../../testing/golden.ts";
import { ask, linksOf } from "../../testing/mcp/answers.ts";
import { connectApp } from "../../testing/mcp/connect.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";

const LEASE =
  "The lease of the harbour office ends in March, and the landlord wants an answer about the two rooms upstairs before the notary comes.";
const NOTES: Readonly<Record<string, { title: string; body: string }>> = {
  lease: { title: "Lease", body: LEASE },
  "lease-reply": { title: "Re: Lease", body: `Fine with me.\n> ${LEASE}` },
  "lease-again": { title: "Re: Re: Lease", body: `No objection!\n>> ${LEASE}` },
  dog: { title: "Walk", body: "Our puppy chased a cat through the garden and came home muddy." },
};

/** The content of each page, and what both halves must have. */
const PAGES: Readonly<Record<string, { query: string; said: RegExp }>> = {
  found: { query: "muddy garden", said: /⟦garden⟧/ },
  widened: { query: "landlrod", said: /No record has landlrod; searched landlord\./ },
  empty: { query: "+nowheretobefound", said: /Leave out or change what no record has: nowheretobefound\./ },
  folded: { query: "lease notary", said: /2|count/ },
  similar: { query: "kitten dogs", said: /similar/ },
  timed: { query: "What happened to the puppy in March 2026?", said: /since(?:=|": )"2026-03-01/ },
};

describe("pages of search", () => {
  let served: ServedWorld;
  let client: McpClient;
  before(async () => {
    served = await serveWorld("sqlite");
    const { world } = served;
    const envelopes = Object.entries(NOTES).map(([key, data], at) => ({
      stream: "notes",
      key,
      emitted_at: "2026-05-01T00:00:00Z",
      data: { id: key, written_at: `2026-04-0${at + 1}T09:00:00Z`, ...data },
    }));
    await world.store.ingest(world.owner_id, "home", envelopes);
    await world.store.tidy(world.owner_id);
    client = await connectApp(world.app, (await served.allowBoth()).token);
  });
  after(async () => {
    await client?.close();
    await served?.close();
  });

  for (const [name, { query, said }] of Object.entries(PAGES)) {
    test(`R43 every kind of client sees the page "${name}" as in its golden files`, async () => {
      const args = { query, connection_id: "home", limit: 3 };
      const { text, structured, meta } = await ask(client, { operation: "search", args });
      const json = hideCursors(JSON.stringify(structured, null, 2));
      assertGolden(goldenUrl(`${name}.txt`), `${hideCursors(text)}\n`);
      assertGolden(goldenUrl(`${name}.json`), `${json}\n`);
      assertGolden(goldenUrl(`${name}.uris.json`), `${JSON.stringify(linksOf(meta), null, 2)}\n`);
      assert.match(text, said);
      assert.match(json, said);
    });
  }
});

function goldenUrl(file: string): URL {
  return new URL(`golden/search/${file}`, import.meta.url);
}

function hideCursors(text: string): string {
  return text.replace(/(cursor"?(?:=|: ?)")[\w-]{40,}"/g, '$1(cursor)"');
}
