import {
  type Deletion,
  type DeletionPreview,
  type DeletionRequest,
  deleteData,
  parseDeletionTarget,
  previewDeletion,
} from "@rungs/server";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { requireTime } from "../command/option-values.ts";
import { renderTable } from "../command/table.ts";
import { asOwner } from "../home/database.ts";

/** `rungs delete`: shows what would go; with `--confirm` and the same words, deletes it for good. */
export const deleteCommand: Command = {
  details: [
    "WHAT is a connection (mail-home), a stream of one (mail-home/messages) or a record's id.",
    "Deleted records are gone from records, text, index, vectors and files that nothing else refers to.",
    "Backups still hold them, and importing the same export again brings them back.",
  ],
  options: {
    filter: {
      type: "string",
      multiple: true,
      value: "FIELD=VALUE",
      about: "only records of the stream that meet it, as in rungs query; repeatable",
    },
    since: { type: "string", value: "TIME", about: "only records from this time on" },
    until: { type: "string", value: "TIME", about: "only records before this time" },
    confirm: { type: "string", value: "WHAT", about: "delete: repeat WHAT. Without it, nothing is deleted." },
  },
  async run(call) {
    const [what = ""] = call.operands;
    const request = parseRequest(call, what);
    const confirmed = call.option("confirm");
    if (confirmed !== undefined && confirmed !== what)
      throw new UsageError(`--confirm must repeat ${what}; nothing was deleted.`);
    return asOwner(call, async (owner) => {
      const preview = await previewDeletion(owner, request);
      if (confirmed === undefined) {
        call.io.out(
          call.flag("json") ? JSON.stringify({ deleted: false, ...preview }) : renderPreview(what, preview),
        );
        return Exit.done;
      }
      const watch = (done: number) => call.io.watch?.(`${done} of ${preview.record_count} records deleted`);
      const deletion = await deleteData(owner, request, watch);
      call.io.watch?.("");
      call.io.out(
        call.flag("json") ? JSON.stringify({ deleted: true, ...deletion }) : renderDeletion(deletion),
      );
      return deletion.problems.length === 0 ? Exit.done : Exit.failed;
    });
  },
};

function parseRequest(call: CommandCall, what: string): DeletionRequest {
  return {
    ...parseDeletionTarget(what),
    filter: call.options("filter"),
    since: requireTime(call.option("since"), "since"),
    until: requireTime(call.option("until"), "until"),
  };
}

function renderPreview(what: string, preview: DeletionPreview): string {
  const { record_count, streams, samples, whole_connection } = preview;
  if (record_count === 0 && !whole_connection) return "No record matches; there is nothing to delete.";
  return [
    renderTable(
      ["STREAM", "RECORDS"],
      streams.map((each) => [each.stream, String(each.record_count)]),
    ),
    ...(samples.length > 0 ? ["", "Among them:", ...samples.map((id) => `  ${id}`)] : []),
    "",
    `Nothing was deleted yet. This deletes ${count(record_count)}${whole_connection ? " and the connection" : ""} for good: repeat the command with --confirm '${what}'`,
  ].join("\n");
}

function renderDeletion({ record_count, is_space_freed, problems }: Deletion): string {
  return [
    `${count(record_count)} deleted: gone from records, text, index, vectors and unshared files.`,
    is_space_freed
      ? "The space on disk is free again."
      : "The database's file still has the space, since another program or owner uses it: run rungs doctor --purge when it is idle.",
    "Backups and exports that were made before still hold the records.",
    ...problems.map((problem) => `Problem: ${problem}`),
  ].join("\n");
}

const count = (records: number) => `${records} ${records === 1 ? "record" : "records"}`;
