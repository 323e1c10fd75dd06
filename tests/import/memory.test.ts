import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { MAIN } from "../../testing/cli/program.ts";
import { writeMbox } from "../../testing/files/mbox.ts";

/** The long form imports files of 200 MB; a mailbox too, whose text is indexed and whose attachments are stored. */
const IS_LONG = process.env.RUNGS_LONG !== undefined;
const LARGE_BYTES = IS_LONG ? 200_000_000 : 64_000_000;
const SMALL_BYTES = 8_000_000;
/** How much more memory the large file may take than the small one: less than the difference in size. */
const GROWTH_BYTES = IS_LONG ? 64 * 1024 ** 2 : 40 * 1024 ** 2;

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "rungs-memory-"));
after(() => rmSync(folder, { recursive: true }));

/** The peak memory of an import. The garbage collector gets no slack, which would hide retained memory. */
async function peakOf(file: string, ...more: string[]): Promise<number> {
  const tell = "process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))";
  const flags = [
    "--max-semi-space-size=2",
    "--max-old-space-size=96",
    "--conditions=rungs-source",
    "--import",
    `data:text/javascript,${tell}`,
  ];
  const database = `${file}.db`;
  const argv = [
    ...flags,
    MAIN,
    "import",
    file,
    "--json",
    "--connection",
    "c",
    "--database",
    database,
    ...more,
  ];
  const { stderr, stdout } = await run(process.execPath, argv, { maxBuffer: 1e8 });
  assert.ok(JSON.parse(stdout).added > 0);
  rmSync(database);
  return Number(/peak (\d+)/.exec(stderr)?.[1]) * 1024;
}

async function assertBounded(write: (file: string, bytes: number) => void, ...more: string[]): Promise<void> {
  const [small, large] = [join(folder, "small"), join(folder, "large")];
  write(small, SMALL_BYTES);
  write(large, LARGE_BYTES);
  const [base, peak] = [await peakOf(small, ...more), await peakOf(large, ...more)];
  const grown = peak - base;
  assert.ok(grown < GROWTH_BYTES, `${(grown / 1024 ** 2).toFixed(0)} MiB more than the small one's ${base}`);
}

test("the memory of an import does not depend on the size of its file", async () => {
  const manifest = join(folder, "manifest.json");
  const properties = { id: { type: "integer" }, text: { type: "string" } };
  const stream = { name: "rows", semantics: "mutable_state", primary_key: ["id"] };
  writeFileSync(
    manifest,
    JSON.stringify({
      protocol_version: "0.1.0",
      source: { kind: "connector", id: "https://rungs.example/tests/memory" },
      declaration_version: "1",
      streams: [{ ...stream, schema: { type: "object", required: ["id"], properties } }],
    }),
  );
  await assertBounded(writeLines, "--manifest", manifest);
});

test("neither does that of a mailbox", { skip: !IS_LONG && "a part of `npm run test:long`" }, async () => {
  await assertBounded((file, bytes) => writeMbox(file, { bytes }));
});

function writeLines(file: string, bytes: number): void {
  const handle = openSync(file, "w");
  for (let id = 0, written = 0; written < bytes; id += 1) {
    written += writeSync(handle, `${JSON.stringify({ id, text: `line ${id} `.repeat(2_000) })}\n`);
  }
  closeSync(handle);
}
