/** `rungs shard-plan`: how the tables of PostgreSQL are spread by owner. */
import type { ShardPlan } from "@rungs/store/postgres";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { resolvePlace } from "../home/database.ts";

const PARTITIONS = { least: 2, most: 256, usual: "16" };

export const shardPlan: Command = {
  details: [
    "rungs shard-plan --partitions 32 > tables.sql",
    "rungs shard-plan --create --database postgres://user@host/new",
    "rungs copy --to postgres://user@host/new    # then moves the data there",
  ],
  options: {
    partitions: {
      type: "string",
      value: "N",
      about: `how many hash partitions; ${PARTITIONS.usual} by default`,
    },
    citus: { type: "boolean", about: "distribute the tables over the nodes of a Citus cluster instead" },
    create: { type: "boolean", about: "run the statements in the empty database of --database" },
  },
  async run(call) {
    const plan = readPlan(call);
    // Only this command needs the engine without a database.
    const { createSharded, listCreateStatements } = await import("@rungs/store/postgres");
    const statements = listCreateStatements(plan);
    if (call.flag("create")) {
      const place = resolvePlace(call);
      if (place.kind !== "postgres")
        throw new UsageError(
          "--create needs an empty PostgreSQL database: name it with --database postgres://…",
        );
      await createSharded(place.url, plan, place.role);
      call.io.out(
        call.flag("json") ? JSON.stringify({ plan, created: true }) : "The tables are there, and empty.",
      );
    } else {
      call.io.out(
        call.flag("json")
          ? JSON.stringify({ plan, statements })
          : statements.map((each) => `${each};`).join("\n"),
      );
    }
    return Exit.done;
  },
};

function readPlan({ option, flag }: CommandCall): ShardPlan {
  const text = option("partitions");
  if (flag("citus")) {
    if (text !== undefined) throw new UsageError("Give --citus or --partitions, not both.");
    return { kind: "citus" };
  }
  const count = /^\d{1,3}$/.test(text ?? PARTITIONS.usual) ? Number(text ?? PARTITIONS.usual) : Number.NaN;
  if (count >= PARTITIONS.least && count <= PARTITIONS.most) return { kind: "partitions", count };
  throw new UsageError(
    `--partitions takes a number from ${PARTITIONS.least} to ${PARTITIONS.most}, not ${text}.`,
  );
}
