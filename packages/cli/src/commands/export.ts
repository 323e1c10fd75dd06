import { operations } from "@rungs/contract";
import type { Command } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { exportFile } from "../download/export-file.ts";
import { clientOptions } from "../home/client-access.ts";
import { withClient } from "../reads/connect.ts";
import { listOptions, requireArguments } from "../reads/parameters.ts";

const shape = { operation: operations.export, operands: {} };

/** `rungs export`: every granted record, whole, into a file. */
export const exportRecordsCommand: Command = {
  options: {
    output: {
      type: "string",
      short: "o",
      value: "FILE",
      about: "The file; it appears when it is whole. Needed.",
    },
    ...listOptions(shape),
    ...clientOptions,
  },
  async run(call) {
    const file = call.option("output");
    if (file === undefined) throw new UsageError("--output is needed: the file to write.");
    const input = requireArguments(shape, call);
    const exported = await withClient(call, (client) => exportFile(client, input, file, call));
    const { record_count } = exported;
    call.io.out(
      call.flag("json")
        ? JSON.stringify(exported)
        : `${file}: ${record_count} records, and a last line that says so`,
    );
    return Exit.done;
  },
};
