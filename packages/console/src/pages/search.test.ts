import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { ApiError } from "@rungs/contract";
import type { Store } from "@rungs/store";
import { openSession, type ServedConsole, serveConsole } from "../../../../testing/console/served.ts";

let served: ServedConsole;
before(async () => {
  served = await serveConsole();
});
after(() => served?.close());

test("a slow search streams the page head first, and its results in the same response", async (t) => {
  const found = holdSearches(t);
  const { before, read } = await openSearch("crane");
  assert.match(before, /<input id="q"[^>]*value="crane".*Searching…<\/p>$/s);
  found.resolve();
  const rest = await read();
  assert.match(rest, /30 records found.*class="hits".*<\/html>\s*$/s);
  assert.doesNotMatch(rest, /<!--/);
});

test("a search refused after the page head was sent says why", async (t) => {
  const found = holdSearches(t);
  const { read } = await openSearch("crane");
  found.reject(new ApiError("work_limit_exceeded"));
  assert.match(await read(), /work_limit_exceeded.*<\/html>\s*$/s);
});

/** Makes every search wait for the returned promise. */
function holdSearches(t: TestContext): PromiseWithResolvers<void> {
  const store = served.parts.store as { -readonly [Name in keyof Store]: Store[Name] };
  const { search } = store;
  const held = Promise.withResolvers<void>();
  store.search = async (...args) => {
    await held.promise;
    return search(...args);
  };
  t.after(() => {
    store.search = search;
  });
  return held;
}

/** The part of the page that comes first, and a function that reads what follows. */
async function openSearch(q: string) {
  const headers = { ...(await openSession(await served.loginLink())) };
  const answer = await fetch(`${served.url}/console/search?q=${q}`, { headers });
  assert.equal(answer.status, 200);
  const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  const { value: before = "" } = await reader.read();
  const read = async () => {
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += value;
    }
  };
  return { before, read };
}
