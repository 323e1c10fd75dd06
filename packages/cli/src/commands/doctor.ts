import { chmodSync, existsSync, statSync } from "node:fs";
import { platform } from "node:os";
import { ApiError } from "@rungs/contract";
import { isGrantActive, type OwnerContext } from "@rungs/server";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { explainFailure } from "../command/failure.ts";
import { renderTable } from "../command/table.ts";
import {
  asOwner,
  type DatabasePlace,
  explainUnavailable,
  preferExisting,
  resolvePlace,
} from "../home/database.ts";
import { HERE } from "../home/local-server.ts";
import { removeStaleNote } from "../home/running-server.ts";
import { findTokenKind } from "../http/mcp-endpoint.ts";
import { openKey } from "../keys/open-key.ts";
import { listPlainFiles } from "../keys/plain-files.ts";
import { readGivenToken } from "../login/client-access.ts";

/** The result of one check. */
interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  /** How to fix it. */
  readonly next?: string;
}

/** The mode bits of group and others. */
const OTHERS = 0o077;

/** `rungs doctor`: checks the installation and says how to fix what is wrong. */
export const doctor: Command = {
  options: {
    "token-file": { type: "string", value: "FILE", about: "a token to check (env RUNGS_TOKEN)" },
    fix: {
      type: "boolean",
      about: "repair permissions, the file of a killed server, and the search index",
    },
    purge: {
      type: "boolean",
      about: "also drop deleted records from the index, and free their space on disk",
    },
  },
  async run(call) {
    const findings = await examine(preferExisting(call));
    const isHealthy = findings.every(({ ok }) => ok);
    if (call.flag("json")) call.io.out(JSON.stringify({ ok: isHealthy, findings }));
    else call.io.out(renderFindings(findings));
    return isHealthy ? Exit.done : Exit.failed;
  },
};

async function examine(call: CommandCall): Promise<Finding[]> {
  const place = resolvePlace(call);
  if (place.kind === "sqlite" && !existsSync(place.file)) {
    const next = "Run rungs import, or rungs demo to try it, or correct --home or --database";
    return [fail("database", `there is none at ${place.file}`, next)];
  }
  const token = readGivenToken(call);
  try {
    const isFixing = call.flag("fix");
    const outside = [
      ...checkPermissions(place, isFixing),
      ...(await explainUnavailable(() => checkFile(place))),
    ];
    if (isFixing && place.kind === "sqlite" && place.home !== undefined) removeStaleNote(place.home);
    const inside = await asOwner(call, async (owner) => [
      pass("database", `${place.kind} opens`),
      ...(place.kind === "postgres" ? [checkWall(owner), ...checkSeal(owner)] : []),
      ...(call.flag("purge") ? [await purge(owner)] : []),
      ...(await checkStore(owner, isFixing)),
      await checkAuditLog(owner),
      await checkGrants(owner),
      ...(token === undefined ? [] : [await checkToken(owner, token)]),
    ]);
    return [...outside, ...inside];
  } catch (error) {
    const sentence = explainFailure(error).sentence.replace(/\.$/, "");
    return [fail("database", sentence, "Run rungs doctor again when that is done")];
  }
}

/** Checks that only the owner can read the data: the home directory protects it, or the file mode must. */
function checkPermissions(place: DatabasePlace, isFixing: boolean): Finding[] {
  if (place.kind === "postgres" || platform() === "win32") return [];
  const path = place.home ?? place.file;
  const [name, mode] = place.home === undefined ? ["file", "600"] : ["home", "700"];
  if ((statSync(path).mode & OTHERS) === 0) return [pass(name, `only its owner can read ${path}`)];
  if (!isFixing) return [fail(name, `others on this machine can read ${path}`, `Run chmod ${mode} ${path}`)];
  chmodSync(path, Number.parseInt(mode, 8));
  return [pass(name, `others could read ${path}: now only its owner can`)];
}

/** Runs SQLite's own consistency check, read-only. */
async function checkFile(place: DatabasePlace): Promise<Finding[]> {
  if (place.kind === "postgres") return [];
  const key = await openKey(place.file, place.env ?? {});
  const { connect } = await import("@rungs/store/sqlite");
  const database = connect(place.file, { timeout: 5_000, readOnly: true, key });
  try {
    const { user_version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
    const { quick_check } = database.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
    if (quick_check === "ok")
      return [
        pass("file", `${place.file} is sound, schema version ${user_version}`),
        ...(key === undefined ? [] : [checkPlainFiles(place.file)]),
      ];
    return [fail("file", `${place.file} is damaged: ${quick_check}`, "Put the last backup in its place")];
  } finally {
    database.close();
  }
}

/** Checks that nothing plain is left beside an encrypted database. */
function checkPlainFiles(file: string): Finding {
  const plain = listPlainFiles(file);
  if (plain.length === 0)
    return pass("encryption", "the database is encrypted, and no plain copy is beside it");
  return fail(
    "encryption",
    `the database is encrypted, and plain copies are beside it: ${plain.join(", ")}`,
    "Delete them, or encrypt each with rungs encrypt --database FILE",
  );
}

/** Checks that PostgreSQL itself keeps the rows of owners apart. */
function checkWall({ store }: OwnerContext): Finding {
  const { database_role: role } = store;
  if (role !== undefined)
    return pass("owners", `PostgreSQL shows the role ${role} one owner's rows at a time`);
  return fail(
    "owners",
    "the login may not create a role, so only the program isolates the rows of owners",
    "Ask who runs the database for CREATE ROLE rungs_server; GRANT rungs_server TO the login, and set RUNGS_DATABASE_ROLE=rungs_server",
  );
}

/** Checks that sealing the database left no long row plain. */
function checkSeal({ store: { seal_state } }: OwnerContext): Finding[] {
  if (seal_state === undefined) return [];
  if (seal_state === "sealed")
    return [pass("encryption", "long texts, files, index blocks and vectors are sealed")];
  const command = seal_state === "sealing" ? "rungs encrypt" : "rungs decrypt";
  return [
    fail(
      "encryption",
      `${command} was interrupted: some rows are sealed, some are not`,
      `Run ${command} again`,
    ),
  ];
}

async function purge({ store, owner_id }: OwnerContext): Promise<Finding> {
  const { is_space_freed } = await store.purge(owner_id, { stops_others: true });
  if (is_space_freed) return pass("purge", "nothing of deleted records is left, and their space is free");
  return fail(
    "purge",
    "another program holds the database, so its file keeps the space",
    "Stop it and run this again",
  );
}

/** Checks the store's invariants: no text without chunks, an ordered index, no blob without bytes. */
async function checkStore({ store, owner_id }: OwnerContext, isFixing: boolean): Promise<Finding[]> {
  const found = await store.check(owner_id);
  if (found.length === 0) return [pass("records", "records, index and blobs are consistent")];
  if (isFixing) await store.rebuild(owner_id);
  const problems = isFixing ? await store.check(owner_id) : found;
  if (problems.length === 0)
    return [pass("records", `the index was written again, which repaired: ${found.join("; ")}`)];
  const next = isFixing
    ? "Stop the server, put the last backup in its place, and import again what came later"
    : "Run rungs doctor --fix";
  return problems.map((problem) => fail("records", problem, next));
}

/** Checks that no row of the audit log was changed or removed. */
async function checkAuditLog({ store, owner_id }: OwnerContext): Promise<Finding> {
  const { row_count, end_hash, problem } = await store.checkAudit(owner_id);
  const next =
    "Somebody may have edited the database: compare it with a backup, and revoke grants that you do not know";
  if (problem !== undefined) return fail("audit", `the audit log is not as it was written: ${problem}`, next);
  const last = end_hash === "" ? "" : `, the last with the hash ${end_hash.slice(0, 16)}`;
  return pass("audit", `${row_count} rows follow from one another${last}`);
}

async function checkGrants({ store, owner_id, now }: OwnerContext): Promise<Finding> {
  const grants = await store.listGrants(owner_id);
  const active = grants.filter((grant) => isGrantActive(grant, now()));
  return pass("grants", `${active.length} of ${grants.length} grants are active`);
}

async function checkToken({ store, now }: OwnerContext, token: string): Promise<Finding> {
  const next = "Run rungs grant create and use the token that it prints";
  try {
    const kind = await findTokenKind(token, store, now(), HERE);
    if (kind === "client") return pass("token", "the token is valid");
    return fail("token", "the token is the owner's, which agents must never get", next);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return fail("token", "the token is unknown or no longer valid", next);
  }
}

function pass(name: string, message: string): Finding {
  return { name, ok: true, message };
}

function fail(name: string, message: string, next: string): Finding {
  return { name, ok: false, message, next };
}

function renderFindings(findings: readonly Finding[]): string {
  const rows = findings.map(({ ok, name, message, next }) => [
    ok ? "ok" : "wrong",
    name,
    next === undefined ? message : `${message}. ${next}.`,
  ]);
  return renderTable(["STATE", "WHAT", "FOUND"], rows);
}
