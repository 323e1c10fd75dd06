import { existsSync } from "node:fs";
import type { TableDigest } from "@rungs/store";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { renderTable } from "../command/table.ts";
import { copyStore } from "../home/copy-store.ts";
import { type DatabasePlace, parsePlace, resolvePlace } from "../home/database.ts";
import { copyEnvelope, writeEnvelope } from "../keys/envelope.ts";
import { findKeyForFile } from "../keys/seal-server.ts";

/** `rungs copy`: copies everything into another database of either engine, and verifies it by digest. */
export const copy: Command = {
  options: {
    to: {
      type: "string",
      value: "URL",
      about: "an empty database: a file, sqlite:FILE or postgres://… Required.",
    },
  },
  async run(call) {
    const to = requireTarget(call);
    const from = resolvePlace(call);
    if (to.kind === "sqlite" && !existsSync(to.file)) await carryEnvelope(from, to.file);
    const digests = await copyStore(from, to, call);
    call.io.out(call.flag("json") ? JSON.stringify({ tables: digests }) : renderCopied(to, digests));
    return Exit.done;
  },
};

function requireTarget(call: CommandCall): DatabasePlace {
  const to = call.option("to");
  if (to === undefined) throw new UsageError("--to is required: the empty database to copy into.");
  const from = resolvePlace(call);
  if (from.kind === "sqlite" && !existsSync(from.file)) {
    throw new UsageError(`There is no database at ${from.file}.`);
  }
  const target = parsePlace(to);
  return { ...target, env: call.io.env };
}

/** A new file is encrypted like the database whose rows it gets. */
async function carryEnvelope(from: DatabasePlace, file: string): Promise<void> {
  if (from.kind === "sqlite") return copyEnvelope(from.file, file);
  const sealed = await findKeyForFile(from);
  if (sealed) writeEnvelope(file, sealed.envelope);
}

function renderCopied(to: DatabasePlace, digests: readonly TableDigest[]): string {
  const rows = digests.map(({ table, row_count, sha256 }) => [table, String(row_count), sha256]);
  const use = to.kind === "sqlite" ? `--database ${to.file}` : "--database and the same address";
  return [
    renderTable(["TABLE", "ROWS", "SHA-256 ON BOTH SIDES"], rows),
    `Everything was copied and verified. Use it with ${use}.`,
  ].join("\n");
}
