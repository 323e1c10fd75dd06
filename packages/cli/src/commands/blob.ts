import type { Client } from "@rungs/client";
import { operations } from "@rungs/contract";
import type { Continuation } from "@rungs/evidence";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { fetchBlobFacts } from "../download/describe-blob.ts";
import { type Downloaded, downloadBlob, downloadRange } from "../download/download-blob.ts";
import { clientOptions } from "../home/client-access.ts";
import { withClient } from "../reads/connect.ts";
import { createCallWriter } from "../reads/output-formatter.ts";
import { refuseRead } from "../reads/refusal.ts";

/** `rungs blob`: a file that a granted record refers to. */
export const blob: Command = {
  options: {
    range: { type: "string", value: "A-B", about: "Only the bytes A to B, B included; A- is all from A on." },
    output: {
      type: "string",
      short: "o",
      value: "FILE",
      about: "The file to write; a download that broke off goes on. Standard output when left out.",
    },
    ...clientOptions,
  },
  async run(call) {
    const [blob_id = ""] = call.operands;
    const range = requireRange(call.option("range"));
    if (!operations.read_blob.input.shape.blob_id.safeParse(blob_id).success) {
      throw new UsageError("BLOB_ID is not the blob_id of a file.");
    }
    const asked: Continuation = { operation: "read_blob", args: { blob_id } };
    try {
      await withClient(call, (client) => bring(client, blob_id, range, call));
      return Exit.done;
    } catch (error) {
      return refuseRead(error, asked, call);
    }
  },
};

async function bring(
  client: Client,
  blob_id: string,
  range: string | undefined,
  call: CommandCall,
): Promise<void> {
  const { io, flag, option } = call;
  const file = option("output");
  if (file !== undefined) {
    const done =
      range === undefined
        ? await downloadBlob(client, blob_id, file, call)
        : await downloadRange(client, blob_id, range, file, call);
    io.out(flag("json") ? JSON.stringify(done) : renderDone(done));
  } else if (flag("json") || !io.write) {
    const about = await fetchBlobFacts(client, blob_id);
    const next = createCallWriter(call)({ operation: "read_blob", args: { blob_id, output: "FILE" } });
    io.out(
      flag("json")
        ? JSON.stringify(about)
        : `${blob_id} (${about.mime_type}, ${about.size_bytes} bytes)\nsave: ${next}`,
    );
  } else {
    const { bytes } = await client.openBlob({ blob_id, ...(range === undefined ? {} : { range }) });
    for await (const piece of bytes) await io.write(piece);
  }
}

function requireRange(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const range = `bytes=${text}`;
  if (operations.read_blob.input.shape.range.safeParse(range).success) return range;
  throw new UsageError(`--range takes bytes such as 0-65535, not ${text}.`);
}

function renderDone({ file, size_bytes, resumed_bytes }: Downloaded): string {
  return `${file}: ${size_bytes} bytes${resumed_bytes === 0 ? "" : `, ${resumed_bytes} of them from a former try`}`;
}
