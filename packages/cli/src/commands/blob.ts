import type { Client } from "@rungs/client";
import { ApiError, operations } from "@rungs/contract";
import type { Continuation } from "@rungs/evidence";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { type Downloaded, downloadBlob, downloadRange } from "../download/download-blob.ts";
import { clientOptions } from "../login/client-access.ts";
import { createCallWriter } from "../reads/output-formatter.ts";
import { refuseRead } from "../reads/refusal.ts";
import { withClient } from "../reads/with-client.ts";

/** `rungs blob`: a file that a granted record refers to. */
export const blob: Command = {
  options: {
    range: {
      type: "string",
      value: "A-B",
      about: "Only bytes A to B, inclusive; A- means from A to the end.",
    },
    output: {
      type: "string",
      short: "o",
      value: "FILE",
      about: "The file to write; resumes an interrupted download. Standard output by default.",
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
      await withClient(call, (client) => readBlob({ client, blob_id, range, call }));
      return Exit.done;
    } catch (error) {
      return refuseRead(error, asked, call);
    }
  },
};

interface BlobRead {
  readonly client: Client;
  readonly blob_id: string;
  readonly range: string | undefined;
  readonly call: CommandCall;
}

/** Writes the bytes to `--output` or to a pipe; on a terminal it only describes the blob. */
async function readBlob({ client, blob_id, range, call }: BlobRead): Promise<void> {
  const { io, flag, option } = call;
  const file = option("output");
  if (file !== undefined) {
    const download = { client, blob_id, file, call };
    const done = await (range === undefined ? downloadBlob(download) : downloadRange(download, range));
    io.out(flag("json") ? JSON.stringify(done) : renderDone(done));
  } else if (flag("json") || !io.write) {
    const facts = await fetchBlobFacts(client, blob_id);
    const next = createCallWriter(call)({ operation: "read_blob", args: { blob_id, output: "FILE" } });
    io.out(
      flag("json")
        ? JSON.stringify(facts)
        : `${blob_id} (${facts.mime_type}, ${facts.size_bytes} bytes)\nsave: ${next}`,
    );
  } else {
    const { bytes } = await client.openBlob({ blob_id, ...(range === undefined ? {} : { range }) });
    for await (const chunk of bytes) await io.write(chunk);
  }
}

/** Reads a blob's type and size by requesting its first byte. An empty blob has no satisfiable range and is read whole. */
async function fetchBlobFacts(client: Client, blob_id: string) {
  const opened = await client.openBlob({ blob_id, range: "bytes=0-0" }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.details.size_bytes !== 0) throw error;
    return client.openBlob({ blob_id });
  });
  for await (const _ of opened.bytes);
  return { blob_id, mime_type: opened.mime_type, size_bytes: opened.total_bytes };
}

function requireRange(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const range = `bytes=${text}`;
  if (operations.read_blob.input.shape.range.safeParse(range).success) return range;
  throw new UsageError(`--range takes bytes such as 0-65535, not ${text}.`);
}

function renderDone({ file, size_bytes, resumed_bytes }: Downloaded): string {
  return `${file}: ${size_bytes} bytes${resumed_bytes === 0 ? "" : `, ${resumed_bytes} of them from an earlier attempt`}`;
}
