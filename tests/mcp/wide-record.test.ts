/** Records and streams of hundreds of fields: each half of an answer leads to every field, page by page, within budget. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Continuation, countChars, formatFieldPath, parseFieldPath } from "@rungs/evidence";
import { type Answer, ask, assertWithinBudget, callsInText } from "../../testing/mcp/answers.ts";
import { connectApp } from "../../testing/mcp/connect.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";
import { addWideStream, listNames } from "../../testing/wide.ts";
import type { Json } from "../../testing/world.ts";

const ODD = ["a.b", "br[0]", "sp ace", "über 漢字"];
const NAMES = [...listNames(199), ...ODD];
const LONG_NAMES = listNames(60, `長い名前${"x".repeat(100)}`);
const CJK = "漢字".repeat(1_000);

const fill = (names: readonly string[], value: (name: string) => unknown) =>
  Object.fromEntries(names.map((name) => [name, value(name)]));
const declare = (names: readonly string[]) =>
  fill(names, () => ({ type: "string" })) as Record<string, object>;

describe("wide records", () => {
  let served: ServedWorld;
  const clients: Record<string, McpClient> = {};
  before(async () => {
    served = await serveWorld("sqlite");
    const wide = await addWideStream(served.world, {
      connection_id: "wide",
      stream: "sheets",
      properties: declare(NAMES),
      records: {
        full: fill(NAMES, (name) => `${name} ${"é".repeat(400)}`),
        short: fill(NAMES, (name) => `${name} short`),
        small: { field_000: "s".repeat(410), field_001: "w ".repeat(1_000), field_002: CJK },
      },
    });
    const keyed = await addWideStream(served.world, {
      connection_id: "keyed",
      stream: "sheets",
      properties: declare(LONG_NAMES),
      records: { full: fill(LONG_NAMES, () => "漢字 ".repeat(300)) },
    });
    clients.wide = await connectApp(served.world.app, wide);
    clients.keyed = await connectApp(served.world.app, keyed);
  });
  after(async () => {
    for (const client of Object.values(clients)) await client.close();
    await served?.close();
  });

  /** Calls, follows the calls for more, and returns every answer; each must be within budget. */
  async function follow(
    first: Continuation,
    nextOf: (answer: Answer) => Continuation | undefined,
    client = clients.wide!,
  ) {
    const answers: Answer[] = [];
    for (let call: Continuation | undefined = first; call && answers.length < 60; ) {
      const answer = await ask(client, call);
      assertWithinBudget(answer, JSON.stringify(call));
      answers.push(answer);
      call = nextOf(answer);
    }
    return answers;
  }
  const moreInText = ({ text }: Answer) =>
    callsInText(
      text
        .split("\n")
        .filter((line) => line.startsWith("more: "))
        .join("\n"),
    )[0];
  const fieldsInText = (texts: readonly string[]) =>
    new Set(
      texts.flatMap((text) =>
        [...text.matchAll(/^ *- (.*?)(?: \([^)]*\))?:/gm)].map(([, path = ""]) => parseFieldPath(path)?.[0]),
      ),
    );

  for (const [connection, record, names] of [
    ["wide", "full", NAMES],
    ["wide", "short", NAMES],
    ["keyed", "full", LONG_NAMES],
  ] as const) {
    const fetch = { operation: "fetch", args: { id: `${connection}/sheets:${record}` } };

    test(`R31 the text of ${connection}/${record} leads to every field, page by page`, async () => {
      const answers = await follow(fetch, moreInText, clients[connection]);
      assert.deepEqual(
        [...fieldsInText(answers.map(({ text }) => text))].toSorted(),
        ["id", ...names].toSorted(),
      );
    });

    test(`R31 R37 the structured half of ${connection}/${record} says what its data omits, and leads to it`, async () => {
      const seen = new Set<string>();
      const answers = await follow(
        fetch,
        ({ structured }) => (structured.content_ladder as Json).records[0].next,
        clients[connection],
      );
      for (const { structured } of answers) {
        const { data, left_out = [], content_ladder } = structured as Json;
        for (const { path } of content_ladder.records[0].fields) seen.add(String(parseFieldPath(path)?.[0]));
        for (const name of Object.keys(data?.data ?? {})) seen.add(name);
        for (const name of fieldsInText([String(structured.text)])) seen.add(String(name));
        const [said = ""] = left_out;
        if (said === "") continue;
        if (connection === "keyed" && said === "data") {
          assert.equal(data, undefined, "one value alone is too large");
          continue;
        }
        const [, missing, all] = /^(\d+) of (\d+) fields in data$/.exec(said) ?? assert.fail(said);
        assert.equal(Object.keys(data.data).length, Number(all) - Number(missing));
        if (record === "short") assert.ok(Object.keys(data.data).length >= 20, "as many fields as fit");
      }
      if (record === "full") assert.deepEqual([...seen].toSorted(), ["id", ...names].toSorted());
    });
  }

  test("R30 a short value of a wide stream, and 2,000 characters in a one-field projection, are whole in both halves", async () => {
    for (const [field, text] of Object.entries({
      field_000: "s".repeat(410),
      field_001: "w ".repeat(1_000),
      field_002: CJK,
    })) {
      const answer = await ask(clients.wide!, {
        operation: "fetch",
        args: { id: "wide/sheets:small", fields: [field] },
      });
      assertWithinBudget(answer, field);
      assert.ok(answer.text.includes(text), `${field} of ${countChars(text)} characters`);
      assert.doesNotMatch(answer.text, /first \d+ of/);
      assert.ok(String(answer.structured.text).includes(text));
      const { data, left_out } = answer.structured as Json;
      if (left_out === undefined) assert.deepEqual(data.data, { [field]: text });
    }
    const whole = await ask(clients.wide!, {
      operation: "fetch",
      args: { id: "wide/sheets:small", fields: ["field_000", "field_001"] },
    });
    assert.doesNotMatch(whole.text, /first \d+ of/);
  });

  test("R14 schema of a wide stream comes in pages, with paths that read_record_field takes", async () => {
    for (const [connection, names] of [
      ["wide", NAMES],
      ["keyed", LONG_NAMES],
    ] as const) {
      const answers = await follow({ operation: "schema", args: {} }, moreInText, clients[connection]);
      assert.ok(answers.length > 1);
      assert.deepEqual(
        [...fieldsInText(answers.map(({ text }) => text))].toSorted(),
        ["id", ...names].toSorted(),
      );
      const listed = answers.flatMap(({ structured }) => (structured.data as Json).streams[0].fields);
      assert.deepEqual(listed.map(({ name }: Json) => name).toSorted(), ["id", ...names].toSorted());
      for (const { structured } of answers.slice(0, -1))
        assert.match((structured.left_out as string[])[0] ?? "", /^\d+ of \d+ fields$/);
    }
    const { text } = await ask(clients.wide!, { operation: "schema", args: { after_field: "field_190" } });
    for (const name of ODD) {
      const path = formatFieldPath([name]);
      assert.ok(text.includes(`  - ${path}: `), text);
      const read = await ask(clients.wide!, {
        operation: "read_record_field",
        args: { id: "wide/sheets:short", field_path: path },
      });
      assert.equal((read.structured.window as Json).text, `${name} short`);
    }
  });

  test("R35 a list of wide records is within budget", async () => {
    for (const client of Object.values(clients))
      assertWithinBudget(
        await ask(client, { operation: "query_records", args: { stream: "sheets" } }),
        "list",
      );
  });
});
