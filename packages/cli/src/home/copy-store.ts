import { CodedError } from "@rungs/evidence";
import type { LoadStep, Store, TableDigest } from "@rungs/store";
import type { CommandCall } from "../command/command.ts";
import { createProgress } from "../command/progress.ts";
import { type DatabasePlace, openPlace } from "./database.ts";

const PHASES = { copy: "copying", check: "checking" } as const;

/** Copies a snapshot of a database into an empty one; returns the digest of each table, equal on both sides. */
export async function copyStore(
  from: DatabasePlace,
  to: DatabasePlace,
  call: CommandCall,
): Promise<TableDigest[]> {
  const source = await openPlace(from);
  try {
    const target = await openPlace(to);
    try {
      return await copyRows(source, target, call);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyRows(source: Store, target: Store, call: CommandCall): Promise<TableDigest[]> {
  let table = "";
  const progress = createProgress(call, (row_count) => `${table}: ${row_count} rows`);
  const watch = (step: LoadStep) => {
    table = `${PHASES[step.phase]} ${step.table}`;
    progress.show(step.row_count);
  };
  try {
    return await target.load(source, watch);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `Nothing was copied (${reason}), and the target is still empty: fix the cause and run the same command again.`,
      { cause: error },
    );
  } finally {
    progress.done();
  }
}
