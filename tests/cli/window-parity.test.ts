/** One window, four faces: REST, the command line, the MCP tool and the resource (R44), over random records and selectors. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { countChars, formatFieldWindowUri, requireWindowSelector, sliceChars } from "@rungs/evidence";
import fc from "fast-check";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { engines } from "../../testing/engines.ts";
import { ask as askTool, assertWithinBudget, callsInText } from "../../testing/mcp/answers.ts";
import { connectHttp } from "../../testing/mcp/connect.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";
import { addWideStream, listNames } from "../../testing/wide.ts";
import type { Json } from "../../testing/world.ts";

const RUNS = Number(process.env.RUNGS_PARITY_RUNS ?? 12);

/** Texts whose characters take one to six bytes as JSON, with graphemes of several characters. */
const TEXTS = {
  latin: "The quick brown fox. ".repeat(1_000),
  cjk: "漢字かな交じり文を読む。".repeat(1_500),
  emoji: "😀👩‍👩‍👧 ok ".repeat(1_500),
  escapes: 'a "quoted"\\path\n\u0001'.repeat(1_200),
  mixed: `${"word ".repeat(900)}${"漢字".repeat(4_000)}${"tail ".repeat(900)}`,
  short: "漢字 tea",
};

const record = {
  ...TEXTS,
  deep: { list: Array.from({ length: 600 }, (_, at) => ({ text: `item ${at} 漢字 "q"`, at })) },
  ...Object.fromEntries(listNames(60).map((name, at) => [name, `${name} ${"é".repeat(at * 20)}`])),
};
const PATHS = [...Object.keys(TEXTS), "deep", "deep.list[7].text", "deep.list[500]", "field_059"];

type Input = Readonly<Record<string, string | number>>;

const size = fc.integer({ min: 1, max: 16_384 });
const around = fc.integer({ min: 0, max: 8_192 });
const selectors: fc.Arbitrary<Input> = fc.oneof(
  fc.record({ offset_chars: fc.nat(22_000) }),
  fc.record({ offset_chars: fc.nat(22_000), limit_chars: size }),
  fc.constant({}),
  fc.record({ q: fc.constantFrom("quick", "漢字", "tail", "ok", "item") }),
  fc.record({ q: fc.constantFrom("fox", "漢字"), before_chars: around, after_chars: around }),
);

for (const engine of Object.keys(engines)) {
  describe(engine, () => {
    let served: ServedWorld;
    let tools: McpClient;
    let token: string;
    before(async () => {
      served = await serveWorld(engine);
      const names = Object.keys(record).map((name) => [name, name === "deep" ? {} : { type: "string" }]);
      const properties = Object.fromEntries(names);
      token = await addWideStream(served.world, {
        connection_id: "wide",
        stream: "sheets",
        properties,
        records: { one: record },
      });
      tools = await connectHttp({ url: served.url, token });
    });
    after(async () => {
      await tools?.close();
      await served?.close();
    });

    /** The answer of each face to the same read. */
    const askAll = async (field_path: string, input: Input) => {
      const query = new URLSearchParams({ field_path, ...mapValues(input, String) });
      const answer = await served.world.ask(`/v1/streams/sheets/records/one/field-window?${query}`, token);
      const rest = (await answer.json()) as Json;
      const flags = Object.entries(input).map(([name, value]) => `--${name.replace(/_chars$/, "")}=${value}`);
      const cli = await rungsHere(["read", "wide/sheets:one", field_path, ...flags, "--json"], {
        RUNGS_URL: served.url,
        RUNGS_TOKEN: token,
      });
      const tool = await tools.callTool({
        name: "read_record_field",
        arguments: { id: "wide/sheets:one", field_path, ...input },
      });
      const uri = formatFieldWindowUri({
        connection_id: "wide",
        stream: "sheets",
        record_id: "one",
        field_path,
        selector: requireWindowSelector(input),
      });
      const resource = await tools.readResource({ uri }).catch(() => undefined);
      if (answer.status !== 200) {
        assert.equal(answer.status, 404);
        assert.deepEqual([cli.code, tool.isError, resource], [1, true, undefined]);
        return undefined;
      }
      const [content] = resource?.contents ?? [];
      const { resource: _, ...document } = JSON.parse(content && "text" in content ? content.text : "{}");
      const { object: __, ...window } = rest;
      const printed = JSON.parse(cli.out);
      assert.deepEqual(printed, rest, "the command line");
      assert.deepEqual(tool.structuredContent, window, "the tool");
      assert.deepEqual(document, window, "the resource");
      return rest;
    };

    test("R22 R40 R44 every face gives the same window, and so do its cursors", async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...PATHS), selectors, async (field_path, input) => {
          const first = await askAll(field_path, input);
          if (!first) return;
          const { next_cursor, previous_cursor } = first.window;
          for (const cursor of [next_cursor, previous_cursor]) {
            if (cursor) await askAll(field_path, { cursor });
          }
        }),
        { numRuns: RUNS },
      );
    });

    test("R20 R22 a size that the caller chose is kept, on dense text too, and by the next cursor", async () => {
      for (const field_path of ["cjk", "emoji", "escapes", "mixed"] as const) {
        for (const limit_chars of [4_096, 9_000, 16_384]) {
          const { window } = await askAll(field_path, { offset_chars: 3, limit_chars });
          assert.equal(window.limit_chars, limit_chars);
          const room = countChars(TEXTS[field_path]) - 3;
          assert.ok(window.end_chars - 3 >= Math.min(limit_chars, room) - 16, field_path);
          if (!window.next_cursor) continue;
          const { window: next } = await askAll(field_path, { cursor: window.next_cursor });
          assert.equal(next.limit_chars, limit_chars);
          assert.equal(next.text, sliceChars(TEXTS[field_path], next.start_chars, next.end_chars));
          assert.equal(next.start_chars, window.end_chars);
        }
      }
      const wide = { q: "字か", before_chars: 8_000, after_chars: 8_000 };
      const { window } = await askAll("cjk", wide);
      assert.ok(window.end_chars - window.match.end_chars >= 7_984);
    });

    test("R31 a window without a size fits every host, on every face alike, and its calls do too", async () => {
      for (const field_path of Object.keys(TEXTS)) {
        let call: Input = {};
        for (let windows = 0; windows < 3; windows += 1) {
          const args = { id: "wide/sheets:one", field_path, ...call };
          const answer = await askTool(tools, { operation: "read_record_field", args });
          assertWithinBudget(answer, field_path);
          const [next] = callsInText(answer.text).filter(({ args: { cursor } }) => cursor !== undefined);
          const { window } = await askAll(field_path, call);
          if (field_path === "latin") assert.ok(window.end_chars - window.start_chars > 4_000);
          if (!next || window.next_cursor === null) break;
          call = { cursor: String(window.next_cursor) };
        }
      }
    });
  });
}

function mapValues<V, W>(from: Readonly<Record<string, V>>, change: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value)]));
}
