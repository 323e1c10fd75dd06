import { createReadStream } from "node:fs";
import { requireManifest } from "@rungs/contract";
import { ingestLines, limits, putConnection } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { readJsonFile } from "../command/option-values.ts";
import { asOwner } from "../home/database.ts";
import { printTally } from "../import/records.ts";

/** `rungs ingest`: records of any program, one on each line, into a connection. */
export const ingest: Command = {
  details: [
    'Each line is a record: {"stream":"days","key":"1","data":{…},"emitted_at":"2026-05-01T10:00:00Z"}.',
    'With "op":"delete" and no data, it deletes the record. The same lines again change nothing.',
    "A new connection needs --manifest: which streams it has, with their schemas (docs/manifest.md).",
  ],
  options: {
    stream: {
      type: "string",
      value: "STREAM",
      about: "the stream of all lines, which then need not name it",
    },
    manifest: {
      type: "string",
      value: "FILE",
      about: "the source declaration: creates the connection, or moves it to this version",
    },
    label: { type: "string", value: "TEXT", about: "what you call the connection" },
  },
  async run(call) {
    const [connection_id = "", file = "-"] = call.operands;
    if (file === "-" && process.stdin.isTTY)
      throw new UsageError("Standard input is a terminal: send lines through a pipe, or name a file.");
    const manifest = call.option("manifest");
    const tally = await asOwner(call, async (owner) => {
      if (manifest !== undefined)
        await putConnection(
          owner,
          connection_id,
          requireManifest(readJsonFile(manifest)),
          call.option("label"),
        );
      const { store, owner_id } = owner;
      const { line_bytes } = limits;
      const target = { store, owner_id, connection_id, line_bytes, stream: call.option("stream") };
      return ingestLines(file === "-" ? process.stdin : createReadStream(file), target);
    });
    printTally(call, connection_id, tally);
    return tally.rejected === 0 ? Exit.done : Exit.failed;
  },
};
