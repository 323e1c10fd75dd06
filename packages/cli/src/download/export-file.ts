import type { Client } from "@rungs/client";
import type { InputOf, Operations } from "@rungs/contract";
import type { CommandCall } from "../command/command.ts";
import { createProgress } from "../command/progress.ts";
import { openPartFile } from "./part-file.ts";
import { untilBroken } from "./until-broken.ts";

/** What an export has brought. */
export interface Exported {
  readonly file: string;
  readonly record_count: number;
}

/** Brings every granted record into a file, one on each line. An export is one moment's view, so a new try begins anew. */
export async function exportFile(
  client: Client,
  input: InputOf<Operations["export"]>,
  file: string,
  call: CommandCall,
): Promise<Exported> {
  const part = await openPartFile(file);
  if (part.left_bytes > 0) {
    call.io.err("A former export broke off; an export cannot go on from there and begins anew.");
  }
  let record_count = 0;
  const progress = createProgress(call, (count) => `${count} records`);
  const describe = () => `The export broke off after ${record_count} records; run the same command again.`;
  const lines = async function* () {
    for await (const document of untilBroken(client.exportRecords(input), describe)) {
      yield `${JSON.stringify(document)}\n`;
      if (document.object === "record") record_count += 1;
      progress.show(record_count);
    }
  };
  await part.write(lines(), "replace");
  progress.done();
  await part.finish();
  return { file, record_count };
}
