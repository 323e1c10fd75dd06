import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordEvent } from "@rungs/server";
import type { Store } from "@rungs/store";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import {
  copyDatabaseFile,
  makeCopy,
  requireUnused,
  type SqlitePlace,
  setAside,
  verifyCopy,
} from "../home/backup-file.ts";
import { copyStore } from "../home/copy-store.ts";
import { type DatabasePlace, openPlace, parsePlace, resolvePlace } from "../home/database.ts";
import { ensureHome } from "../home/home.ts";
import { carryOverAccess, type RestoredAccess } from "../home/restored-access.ts";
import { readEnvelope, writeEnvelope } from "../keys/envelope.ts";
import { openKey } from "../keys/open-key.ts";

/** What a restore did. */
interface Restored {
  readonly access: RestoredAccess;
  /** Why the access of the current database was not kept, when there is one. */
  readonly unread?: string | undefined;
  /** Where the former database is. */
  readonly former?: string | undefined;
}

/** `rungs restore`: checks a backup and puts it in the place of the database; access and deletions stay as they are now. */
export const restore: Command = {
  details: [
    "Keeps the current database's grants, tokens, sessions, password and audit log, so that nothing revoked works again.",
    "Without a current database, every grant and token of the backup is revoked.",
    "Into PostgreSQL: name an empty database with --database, and the former one with --access-from.",
  ],
  options: {
    replace: {
      type: "boolean",
      about: "replace the database that is there; it is kept beside the new one",
    },
    "access-from": {
      type: "string",
      value: "URL",
      about: "the database whose access and deletions to keep; by default the one that is replaced",
    },
    "keep-grants": {
      type: "boolean",
      about: "use the backup's grants and tokens, including those revoked since",
    },
    "with-deleted": { type: "boolean", about: "bring back what was deleted since the backup" },
  },
  async run(call) {
    const [file = ""] = call.operands;
    const target = resolvePlace(call);
    const restored =
      target.kind === "sqlite"
        ? await restoreFile(call, file, target.file, target.home)
        : await restoreServer(call, file, target);
    await recordRestore(target);
    call.io.out(call.flag("json") ? JSON.stringify(restored) : renderRestored(file, restored));
    return Exit.done;
  },
};

async function restoreFile(
  call: CommandCall,
  backup: string,
  file: string,
  home: string | undefined,
): Promise<Restored> {
  const isThere = existsSync(file);
  if (isThere && !call.flag("replace"))
    throw new UsageError(
      `There is a database at ${file}: add --replace to put the backup in its place. It is then kept beside it.`,
    );
  if (home !== undefined) ensureHome(home);
  const { env } = call.io;
  // A lost key of the database that is replaced is a reason to restore a backup.
  const key = isThere ? await openKey(file, env).catch(() => undefined) : undefined;
  const target = { kind: "sqlite", file, key, env } as const;
  if (isThere) await requireUnused(target);
  const backup_key = await openKey(backup, env);
  // What was encrypted stays encrypted, under the key of the database that is there.
  const part = { kind: "sqlite", file: `${file}.restore`, key: key ?? backup_key } as const;
  const from = call.option("access-from");
  const current = from === undefined ? isThere && target : { ...parsePlace(from), env };
  const settled = await prepare(call, { backup, backup_key, part, current: current || undefined });
  const envelope = readEnvelope(key === undefined ? backup : file);
  const former = isThere ? await setAside(target) : undefined;
  if (envelope !== undefined) writeEnvelope(file, envelope);
  await rename(part.file, file);
  return { ...settled, former };
}

/** Prepares the backup as a file, and copies that into an empty database. */
async function restoreServer(call: CommandCall, backup: string, target: DatabasePlace): Promise<Restored> {
  const folder = await mkdtemp(join(tmpdir(), "rungs-restore-"));
  try {
    const backup_key = await openKey(backup, call.io.env);
    const part = { kind: "sqlite", file: join(folder, "rungs.db"), key: backup_key } as const;
    const from = call.option("access-from");
    const settled = await prepare(call, {
      backup,
      backup_key,
      part,
      current: from === undefined ? undefined : { ...parsePlace(from), env: call.io.env },
    });
    await copyStore(part, target, call);
    return settled;
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Preparation {
  readonly backup: string;
  readonly backup_key: Uint8Array | undefined;
  /** The file that becomes the database. */
  readonly part: DatabasePlace & { readonly kind: "sqlite" };
  readonly current: DatabasePlace | undefined;
}

/** Copies the backup, checks it, and settles who may read it. */
async function prepare(
  call: CommandCall,
  { backup, backup_key, part, current: place }: Preparation,
): Promise<Restored> {
  const { store: current, unread } = await openCurrent(place);
  let access: RestoredAccess = { kind: "none" };
  try {
    await makeCopy(part.file, async () => {
      await copyBackup({ file: backup, key: backup_key }, part);
      const restored = await openPlace(part);
      try {
        if ((await restored.listOwners()).length === 0)
          throw new UsageError(`${backup} is not a backup of Rungs: it has no owner.`);
        access = await carryOverAccess(restored, {
          current,
          keep_grants: call.flag("keep-grants"),
          with_deleted: call.flag("with-deleted"),
        });
      } finally {
        await restored.close();
      }
      await verifyCopy(part);
    });
  } finally {
    await current?.close();
  }
  return { access, unread };
}

async function copyBackup(backup: SqlitePlace, part: SqlitePlace): Promise<void> {
  if (!existsSync(backup.file)) throw new UsageError(`There is no backup at ${backup.file}.`);
  try {
    await copyDatabaseFile(backup, part);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${backup.file} is not a readable backup (${reason}). Nothing was changed.`);
  }
}

/** The current database may be damaged: that is a reason to restore one. */
async function openCurrent(place: DatabasePlace | undefined): Promise<{ store?: Store; unread?: string }> {
  if (!place) return {};
  try {
    return { store: await openPlace(place) };
  } catch (error) {
    return { unread: error instanceof Error ? error.message : String(error) };
  }
}

async function recordRestore(target: DatabasePlace): Promise<void> {
  const store = await openPlace(target);
  try {
    for (const owner_id of await store.listOwners())
      await recordEvent({ store, owner_id, now: Date.now }, "backup_restored");
  } finally {
    await store.close();
  }
}

function renderRestored(backup: string, { access, unread, former }: Restored): string {
  return [
    `${backup} was checked and restored.`,
    ...(unread === undefined ? [] : [`The current database could not be read: ${unread}`]),
    ...describeAccess(access),
    ...(former === undefined
      ? []
      : [`The former database is ${former}: delete it when you no longer need it.`]),
  ].join("\n");
}

function describeAccess(access: RestoredAccess): string[] {
  switch (access.kind) {
    case "backup":
      return [
        "Grants and tokens work as when the backup was made, including those revoked since: check rungs grant list.",
      ];
    case "none":
      return [
        "There was no database of the same origin to compare with: every grant, token, session and password of the backup has ended. Create grants again, or restore with --keep-grants.",
      ];
    case "current": {
      const { deleted_records: records, deleted_connections: connections } = access;
      return [
        "Grants, tokens and the audit log are as before the restore; grants that only the backup had are revoked.",
        ...(records + connections === 0
          ? []
          : [
              `Deleted again, as since the backup: ${records} ${records === 1 ? "record" : "records"} and ${connections} ${connections === 1 ? "connection" : "connections"} (--with-deleted brings them back).`,
            ]),
      ];
    }
  }
}
