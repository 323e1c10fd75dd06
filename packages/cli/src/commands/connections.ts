import { type ConnectionSummary, listConnections } from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { renderTable } from "../command/table.ts";
import { readAsOwner } from "../home/database.ts";

/** `rungs connections`: the connections and their streams. */
export const connections: Command = {
  async run(call) {
    const found = await readAsOwner(call, listConnections);
    if (call.flag("json")) call.io.out(JSON.stringify({ connections: found.map(describe) }));
    else if (found.length === 0) call.io.out("There is no data yet: rungs import adds some.");
    else
      call.io.out(
        renderTable(["CONNECTION", "LABEL", "STREAM", "RECORDS", "FROM", "TO"], found.flatMap(listRows)),
      );
    return Exit.done;
  },
};

/** With times as `rungs schema --json` has them. */
function describe({ streams, ...connection }: ConnectionSummary) {
  return {
    ...connection,
    streams: streams.map(({ time_range, ...stream }) => ({
      ...stream,
      ...(time_range && {
        time_range: { first: formatTime(time_range.first_ms), last: formatTime(time_range.last_ms) },
      }),
    })),
  };
}

function listRows({ connection_id, display_name, streams }: ConnectionSummary): string[][] {
  return streams.map(({ stream, record_count, time_range }) => [
    connection_id,
    display_name,
    stream,
    String(record_count),
    formatDay(time_range?.first_ms),
    formatDay(time_range?.last_ms),
  ]);
}

function formatDay(time_ms: number | undefined): string {
  return time_ms === undefined ? "" : formatTime(time_ms).slice(0, 10);
}

function formatTime(time_ms: number): string {
  return new Date(time_ms).toISOString();
}
