import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Email } from "postal-mime";
import { createExtractor } from "../extract/extractor.ts";
import { findBody } from "./message-body.ts";

const extractor = createExtractor();
after(() => extractor.close());

const page = (paragraphs: number) => ({ html: "<p>egret<p hidden>unseen".repeat(paragraphs) }) as Email;

test("a large page is read in another process, with the same result", async () => {
  const asked: number[] = [];
  const extractText: typeof extractor.extract = (request) => {
    asked.push(request.bytes.length);
    return extractor.extract(request);
  };
  const short = await findBody(page(3), { extractText });
  assert.deepEqual(asked, []);
  assert.deepEqual(short, {
    body: "egret\n\negret\n\negret",
    body_source: "html",
    hidden_text: "unseen unseen unseen",
  });
  const { body = "", hidden_text = "" } = await findBody(page(15_000), { extractText });
  assert.equal(asked.length, 1);
  assert.equal(body, Array.from({ length: 15_000 }, () => "egret").join("\n\n"));
  assert.equal(hidden_text.split(" ").length, 15_000);
});

test("a page beyond the limits of that process is read as far as possible", async () => {
  const tooMuch = createExtractor({ limits: { time_ms: 1 } });
  const { body = "" } = await findBody(page(15_000), { extractText: tooMuch.extract });
  await tooMuch.close();
  const read = body.split("\n\n").length;
  assert.ok(body.startsWith("egret\n\negret") && read > 1_000 && read < 15_000, `${read} paragraphs`);
});
