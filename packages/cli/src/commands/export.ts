import type { Client } from "@rungs/client";
import { type InputOf, type Operations, operations } from "@rungs/contract";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { createProgress } from "../command/progress.ts";
import { openPartFile, reportBreak } from "../download/part-file.ts";
import { clientOptions } from "../login/client-access.ts";
import { listOptions, requireArguments } from "../reads/parameters.ts";
import { withClient } from "../reads/with-client.ts";

const shape = { operation: operations.export, operands: {} };

/** `rungs export`: every granted record, whole, into a file. */
export const exportRecordsCommand: Command = {
  options: {
    output: {
      type: "string",
      short: "o",
      value: "FILE",
      about: "The file; it appears when it is complete. Required.",
    },
    ...listOptions(shape),
    ...clientOptions,
  },
  async run(call) {
    const file = call.option("output");
    if (file === undefined) throw new UsageError("--output is required: the file to write.");
    const input = requireArguments(shape, call);
    const record_count = await withClient(call, (client) => exportFile(client, input, file, call));
    call.io.out(
      call.flag("json")
        ? JSON.stringify({ file, record_count })
        : `${file}: ${record_count} records, and a last line with their count`,
    );
    return Exit.done;
  },
};

/** Writes one record per line. An export is a snapshot of one moment, so a retry starts from the beginning. */
async function exportFile(
  client: Client,
  input: InputOf<Operations["export"]>,
  file: string,
  call: CommandCall,
): Promise<number> {
  const part = await openPartFile(file);
  if (part.left_bytes > 0) {
    call.io.err(
      "An earlier export was interrupted. An export cannot resume, so it starts from the beginning.",
    );
  }
  let record_count = 0;
  const progress = createProgress(call, (count) => `${count} records`);
  const describe = () => `The export broke off after ${record_count} records; run the same command again.`;
  const lines = async function* () {
    for await (const document of reportBreak(client.exportRecords(input), describe)) {
      yield `${JSON.stringify(document)}\n`;
      if (document.object === "record") record_count += 1;
      progress.show(record_count);
    }
  };
  await part.write(lines(), "replace");
  progress.done();
  await part.finish();
  return record_count;
}
