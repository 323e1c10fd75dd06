/** One window, four faces: REST, the command line, the MCP tool and the resource (R44), over random records and selectors. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  countChars,
  formatFieldWindowUri,
  formatRecordId,
  formatRecordUri,
  type RecordRef,
  requireWindowSelector,
  sliceChars,
} from "@rungs/evidence";
import fc from "fast-check";
import { anyKey } from "../../testing/arbitraries.ts";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { engines } from "../../testing/engines.ts";
import { ask as askTool, assertWithinBudget, callsInText } from "../../testing/mcp/answers.ts";
import { connectHttp } from "../../testing/mcp/connect.ts";
import type { McpClient } from "../../testing/mcp/sdk.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";
import { readSize } from "../../testing/sizes.ts";
import { addWideStream } from "../../testing/wide.ts";
import type { Json } from "../../testing/world.ts";
import { anyRecord, FIELD_NAMES, listPaths, type RandomRecord } from "./random-records.ts";

const RUNS = readSize("RUNGS_PARITY_RUNS");

/** Texts whose characters take one to six bytes in JSON, with graphemes of several characters. */
const TEXTS = {
  latin: "The quick brown fox. ".repeat(1_000),
  cjk: "漢字かな交じり文を読む。".repeat(1_500),
  emoji: "😀👩‍👩‍👧 ok ".repeat(1_500),
  escapes: 'a "quoted"\\path\n\u0001'.repeat(1_200),
  mixed: `${"word ".repeat(900)}${"漢字".repeat(4_000)}${"tail ".repeat(900)}`,
  short: "漢字 tea",
};
const FIXED = { connection_id: "wide", stream: "sheets", record_id: "one" };

type Input = Readonly<Record<string, string | number>>;

const size = fc.integer({ min: 1, max: 16_384 });
const around = fc.integer({ min: 0, max: 8_192 });
const selectors: fc.Arbitrary<Input> = fc.oneof(
  fc.record({ offset_chars: fc.nat(22_000) }),
  fc.record({ offset_chars: fc.nat(22_000), limit_chars: size }),
  fc.constant({}),
  fc.record({ q: fc.constantFrom("word", "漢字", "한국어", "a", "7") }),
  fc.record({ q: fc.constantFrom("word", "漢字"), before_chars: around, after_chars: around }),
);

for (const engine of Object.keys(engines)) {
  describe(engine, () => {
    let served: ServedWorld;
    let tools: McpClient;
    let token: string;
    before(async () => {
      served = await serveWorld(engine);
      const names = [...Object.keys(TEXTS), ...FIELD_NAMES];
      const properties = Object.fromEntries(names.map((name) => [name, {}]));
      token = await addWideStream(served.world, { ...FIXED, properties, records: { one: TEXTS } });
      tools = await connectHttp({ url: served.url, token });
    });
    after(async () => {
      await tools?.close();
      await served?.close();
    });

    /** The answer of each face to the same read; undefined when all of them refuse it with the same code. */
    const askAll = async (ref: RecordRef, field_path: string, input: Input) => {
      const { connection_id, stream, record_id } = ref;
      const id = formatRecordId(ref);
      const query = new URLSearchParams({ connection_id, field_path, ...mapValues(input, String) });
      const path = `/v1/streams/${stream}/records/${encodeURIComponent(formatRecordUri(ref))}/field-window`;
      const answer = await served.world.ask(`${path}?${query}`, token);
      const rest = (await answer.json()) as Json;
      const flags = Object.entries(input).map(([name, value]) => `--${name.replace(/_chars$/, "")}=${value}`);
      const cli = await rungsHere(["read", "--json", ...flags, "--", id, field_path], {
        RUNGS_URL: served.url,
        RUNGS_TOKEN: token,
      });
      const tool = await tools.callTool({
        name: "read_record_field",
        arguments: { id, field_path, ...input },
      });
      const selector = requireWindowSelector(input);
      const uri = formatFieldWindowUri({ connection_id, stream, record_id, field_path, selector });
      const resource = await tools.readResource({ uri }).catch((error: Error) => error);
      const printed = JSON.parse(cli.out);
      if (answer.status !== 200) {
        const { code } = rest.error;
        assert.equal(printed.error.code, code, "the command line");
        assert.match(tool.content[0]?.type === "text" ? tool.content[0].text : "", new RegExp(`^${code}: `));
        assert.ok(
          resource instanceof Error && resource.message.includes(`${code}: `),
          `${code}, ${resource}`,
        );
        return undefined;
      }
      assert.ok(!(resource instanceof Error), String(resource));
      const [content] = resource.contents;
      const { resource: _, ...document } = JSON.parse(content && "text" in content ? content.text : "{}");
      const { object: __, ...window } = rest;
      assert.deepEqual(printed, rest, "the command line");
      assert.deepEqual(tool.structuredContent, window, "the tool");
      assert.deepEqual(document, window, "the resource");
      return rest;
    };

    test("R22 R40 R44 every face gives the same window of any record, and so do its cursors", async () => {
      await fc.assert(
        fc.asyncProperty(
          anyKey.filter((key) => key !== FIXED.record_id),
          anyRecord,
          fc.array(fc.tuple(fc.nat(), selectors), { minLength: 1, maxLength: 3 }),
          async (record_id, data, reads) => {
            const ref = { ...FIXED, record_id };
            fc.pre(await store(ref, data));
            const paths = listPaths(data);
            for (const [at, input] of reads) {
              const field_path = paths[at % paths.length]!;
              const first = await askAll(ref, field_path, input);
              for (const cursor of [first?.window.next_cursor, first?.window.previous_cursor]) {
                if (cursor) await askAll(ref, field_path, { cursor });
              }
            }
          },
        ),
        // No shrinking, which would store thousands of records; the seed and the path reproduce a case.
        { numRuns: RUNS, endOnFailure: true },
      );
    });

    /** Stores a record; false when its key or a value is refused. */
    async function store(
      { connection_id, stream, record_id }: RecordRef,
      data: RandomRecord,
    ): Promise<boolean> {
      const { store: to, owner_id } = served.world;
      const envelope = {
        stream,
        key: record_id,
        emitted_at: "2026-05-01T00:00:00Z",
        data: { id: record_id, ...data },
      };
      const [outcome] = await to.ingest(owner_id, connection_id, [envelope]);
      return outcome?.status !== "rejected";
    }

    test("R20 R22 the caller's size is kept, even on dense text, and by the next cursor", async () => {
      for (const field_path of ["cjk", "emoji", "escapes", "mixed"] as const) {
        for (const limit_chars of [4_096, 9_000, 16_384]) {
          const { window } = await askAll(FIXED, field_path, { offset_chars: 3, limit_chars });
          assert.equal(window.limit_chars, limit_chars);
          const room = countChars(TEXTS[field_path]) - 3;
          assert.ok(window.end_chars - 3 >= Math.min(limit_chars, room) - 16, field_path);
          if (!window.next_cursor) continue;
          const { window: next } = await askAll(FIXED, field_path, { cursor: window.next_cursor });
          assert.equal(next.limit_chars, limit_chars);
          assert.equal(next.text, sliceChars(TEXTS[field_path], next.start_chars, next.end_chars));
          assert.equal(next.start_chars, window.end_chars);
        }
      }
      const wide = { q: "字か", before_chars: 8_000, after_chars: 8_000 };
      const { window } = await askAll(FIXED, "cjk", wide);
      assert.ok(window.end_chars - window.match.end_chars >= 7_984);
    });

    test("R31 a window without a size fits every host on every face, and so do its calls", async () => {
      for (const field_path of Object.keys(TEXTS)) {
        let call: Input = {};
        for (let windows = 0; windows < 3; windows += 1) {
          const args = { id: "wide/sheets:one", field_path, ...call };
          const answer = await askTool(tools, { operation: "read_record_field", args });
          assertWithinBudget(answer, field_path);
          const [next] = callsInText(answer.text).filter(({ args: { cursor } }) => cursor !== undefined);
          const { window } = await askAll(FIXED, field_path, call);
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
