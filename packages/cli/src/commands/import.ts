import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { requireManifest } from "@rungs/contract";
import { ingestLines, limits, putConnection, type Tally } from "@rungs/server";
import type { Command, CommandCall } from "../command.ts";
import { asOwner } from "../database.ts";
import { Exit, UsageError } from "../exit.ts";
import { readJsonFile } from "../json-file.ts";

/** `rungs import`: brings records in; running it again changes nothing. */
export const importRecords: Command = {
  name: "import",
  about: "Brings a file of records in: NDJSON envelopes under a source declaration. Safe to run again.",
  operands: ["FILE"],
  options: {
    as: { type: "string", value: "records", about: "the format of the file" },
    manifest: { type: "string", value: "FILE", about: "the source declaration" },
    connection: { type: "string", value: "ID", about: "the connection to import into; made when it is new" },
    label: { type: "string", value: "TEXT", about: "what people call the connection" },
  },
  async run(call) {
    const [file = ""] = call.operands;
    const { manifest: manifestFile, connection: connection_id } = requireOptions(call);
    const manifest = requireManifest(readJsonFile(manifestFile));
    await access(file).catch(() => {
      throw new UsageError(`${file} cannot be read.`);
    });
    const tally = await asOwner(call, async (parts) => {
      await putConnection(parts, connection_id, manifest, call.option("label"));
      const { store, owner_id } = parts;
      const { line_bytes } = limits;
      const onBatch = createProgress(call);
      const done = await ingestLines(createReadStream(file), {
        store,
        owner_id,
        connection_id,
        line_bytes,
        onBatch,
      });
      await store.tidy(owner_id);
      return done;
    });
    report(call, connection_id, tally);
    return tally.rejected > 0 && tally.added + tally.changed + tally.unchanged + tally.deleted === 0
      ? Exit.failed
      : Exit.done;
  },
};

function requireOptions({ option }: CommandCall) {
  const as = option("as");
  const manifest = option("manifest");
  const connection = option("connection");
  if (as !== "records") throw new UsageError("--as is needed: records is the one format so far.");
  if (manifest === undefined)
    throw new UsageError("--manifest is needed: the file of the source declaration.");
  if (connection === undefined)
    throw new UsageError("--connection is needed: the id of the connection to import into.");
  return { manifest, connection };
}

/** On a terminal only: elsewhere nobody watches. */
function createProgress({ io }: CommandCall): ((tally: Tally) => void) | undefined {
  if (!process.stderr.isTTY) return undefined;
  return (tally) => io.err(renderTally(tally));
}

function report({ flag, io }: CommandCall, connection_id: string, tally: Tally): void {
  if (flag("json")) {
    io.out(JSON.stringify({ connection_id, ...tally }));
    return;
  }
  for (const { line, code, message } of tally.rejections) io.err(`line ${line}: ${code}: ${message}`);
  io.out(renderTally(tally));
}

function renderTally({ rejections: _, ...counts }: Tally): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}
