import type { Command } from "../command/command.ts";
import { importPaths } from "../import/import-paths.ts";
import { importRecords } from "../import/import-records.ts";

/** `rungs import`: brings people's exports in, and records of other programs; running it again changes nothing. */
export const importFiles: Command = {
  options: {
    as: {
      type: "string",
      value: "FORMAT",
      about:
        "the format, where it is not to be told from the content; records: NDJSON envelopes under --manifest",
    },
    connection: {
      type: "string",
      value: "ID",
      about: "the connection to import into; made when it is new; named for format and file when left out",
    },
    label: { type: "string", value: "TEXT", about: "what people call the connection" },
    manifest: { type: "string", value: "FILE", about: "the source declaration, for records and tables" },
    report: {
      type: "string",
      value: "FILE",
      about: "write every rejected item with its place and reason there",
    },
    "dry-run": { type: "boolean", about: "read everything and store nothing" },
  },
  run: (call) => (call.option("as") === "records" ? importRecords(call) : importPaths(call)),
};
