import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { requireManifest } from "@rungs/contract";
import { ingestLines, limits, putConnection, type Tally } from "@rungs/server";
import type { CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { readJsonFile } from "../command/option-values.ts";
import { createProgress } from "../command/progress.ts";
import { asOwner } from "../home/database.ts";

/** `rungs import --as records`: imports NDJSON record envelopes under a given source declaration. */
export async function importRecords(call: CommandCall): Promise<number> {
  const { file, manifestFile, connection_id } = requireRecordOptions(call);
  const manifest = requireManifest(readJsonFile(manifestFile));
  await access(file).catch(() => {
    throw new UsageError(`${file} cannot be read.`);
  });
  const progress = createProgress(call, (count) => `${count} records`);
  const tally = await asOwner(call, async (owner) => {
    await putConnection(owner, connection_id, manifest, call.option("label"));
    const { store, owner_id } = owner;
    const { line_bytes } = limits;
    const onBatch = (done: Tally) => progress.show(countTaken(done) + done.rejected);
    const target = { store, owner_id, connection_id, line_bytes, onBatch };
    const done = await ingestLines(createReadStream(file), target);
    await store.tidy(owner_id);
    return done;
  });
  progress.done();
  printTally(call, connection_id, tally);
  return tally.rejected > 0 && countTaken(tally) === 0 ? Exit.failed : Exit.done;
}

function requireRecordOptions({ operands, option }: CommandCall) {
  const [file = "", ...others] = operands;
  const manifestFile = option("manifest");
  const connection_id = option("connection");
  if (others.length > 0) throw new UsageError("--as records takes one file.");
  if (manifestFile === undefined)
    throw new UsageError("--manifest is required: the file of the source declaration.");
  if (connection_id === undefined)
    throw new UsageError("--connection is required: the id of the connection to import into.");
  return { file, manifestFile, connection_id };
}

function countTaken({ added, changed, unchanged, deleted }: Tally): number {
  return added + changed + unchanged + deleted;
}

/** Prints the outcome of the lines, and the numbers of the rejected ones. */
export function printTally({ flag, io }: CommandCall, connection_id: string, tally: Tally): void {
  if (flag("json")) {
    io.out(JSON.stringify({ connection_id, ...tally }));
    return;
  }
  const { rejections, ...counts } = tally;
  for (const { line, code, message } of rejections) io.err(`line ${line}: ${code}: ${message}`);
  io.out(
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(", "),
  );
}
