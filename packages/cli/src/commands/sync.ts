/** `rungs sync …`: data that keeps itself up to date. */
import { constants, setPriority } from "node:os";
import {
  addSync,
  answerSync,
  changeSecret,
  keepSyncing,
  listRuns,
  listSyncs,
  pauseSync,
  removeSync,
  requireQuestion,
  requireSource,
  runSync,
} from "@rungs/sources";
import type { SyncSchedule } from "@rungs/store";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { asOwner } from "../home/database.ts";
import { resolveHome } from "../home/home.ts";
import { readSourceSecret } from "../sync/oauth.ts";
import { readAnswer } from "../sync/read-answer.ts";
import { secretOptions } from "../sync/read-secret.ts";
import { sourceOptions } from "../sync/source-options.ts";
import { readSourceSettings } from "../sync/source-settings.ts";
import { openSyncContext, withSyncs } from "../sync/sync-context.ts";
import { renderSyncProgress, renderSyncRun, renderSyncRuns, renderSyncs } from "../sync/sync-text.ts";

/** `rungs sync add`: a source that is read again and again. */
export const syncAdd: Command = {
  details: [
    "rungs sync add imap imaps://imap.example.org --user ada@example.org",
    "rungs sync add imap imaps://imap.gmail.com --user ada@gmail.com --oauth google --client-id ID",
    "rungs sync add caldav https://dav.example.org/ --user ada",
    "rungs sync add carddav https://dav.example.org/ --user ada",
    "rungs sync add folder ~/Notes",
    "rungs sync add connector ./spotify/manifest.json --program node --program ./spotify/index.js",
  ],
  options: {
    ...sourceOptions,
    ...secretOptions,
    id: { type: "string", value: "NAME", about: "the name of the sync; made of the account by default" },
    connection: {
      type: "string",
      value: "ID",
      about:
        "the connection to fill, such as one with an imported export of the same mailbox; a new one by default",
    },
    every: { type: "string", value: "MINUTES", about: "how often it runs; 15 by default" },
    cron: {
      type: "string",
      value: "PATTERN",
      about: "when it runs, instead of --every, such as '0 3 * * *'",
    },
    "keep-deleted": { type: "boolean", about: "keep records that are deleted at the source" },
  },
  async run(call) {
    const { operands, option, flag, io } = call;
    const [kind = "", address = ""] = operands;
    const settings = readSourceSettings(kind, address, call);
    const request = {
      kind,
      settings,
      schedule: readSchedule(call),
      sync_id: option("id"),
      connection_id: option("connection"),
      keeps_deleted: flag("keep-deleted"),
      secret: requireSource(kind).hasSecret(settings) ? await readSourceSecret(call, settings) : undefined,
    };
    const { sync, key_place } = await withSyncs(call, async (context) => ({
      sync: await addSync(context, request),
      key_place: context.secrets.describePlace(),
    }));
    const { sync_id, account, hosts, connection_id } = sync;
    io.out(
      flag("json")
        ? JSON.stringify(sync)
        : [
            `Added ${sync_id}: ${[account, ...hosts].join(" at ")}, into the connection ${connection_id}.`,
            ...(request.secret === undefined
              ? []
              : [`The password is stored sealed; the key is in ${key_place}.`]),
            `rungs serve reads it from now on; rungs sync run ${sync_id} does so now.`,
          ].join("\n"),
    );
    return Exit.done;
  },
};

/** `rungs sync list`: every sync, and every host that Rungs connects to for them. */
export const syncList: Command = {
  async run(call) {
    const syncs = await withSyncs(call, listSyncs);
    call.io.out(call.flag("json") ? JSON.stringify({ syncs }) : renderSyncs(syncs));
    return Exit.done;
  },
};

/** `rungs sync run`: one sync, or all, now. */
export const syncRun: Command = {
  async run(call) {
    const { operands, flag, io } = call;
    const end = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => end.abort());
    const runs = await withSyncs(call, async (context) => {
      const [named] = operands;
      const ids =
        named === undefined
          ? (await listSyncs(context)).filter(({ is_paused }) => !is_paused).map(({ sync_id }) => sync_id)
          : [named];
      const done = [];
      for (const sync_id of ids) {
        const onProgress =
          io.watch &&
          ((run: Parameters<typeof renderSyncProgress>[0]) => io.watch?.(renderSyncProgress(run)));
        done.push(await runSync(context, sync_id, { signal: end.signal, onProgress }));
        io.watch?.("");
      }
      return done;
    });
    io.out(
      flag("json")
        ? JSON.stringify({ runs })
        : runs.map(renderSyncRun).join("\n") || "There is no sync to run.",
    );
    return runs.every(({ state }) => state === "done") ? Exit.done : Exit.failed;
  },
};

/** `rungs sync log`: the last runs of a sync. */
export const syncLog: Command = {
  async run(call) {
    const [sync_id = ""] = call.operands;
    const runs = await withSyncs(call, (context) => listRuns(context, sync_id));
    call.io.out(call.flag("json") ? JSON.stringify({ runs }) : renderSyncRuns(runs));
    return Exit.done;
  },
};

/** `rungs sync pause`: until it is resumed. */
export const syncPause: Command = { run: (call) => setPaused(call, true) };

/** `rungs sync resume`. */
export const syncResume: Command = { run: (call) => setPaused(call, false) };

/** `rungs sync remove`: the records stay. */
export const syncRemove: Command = {
  async run(call) {
    const [sync_id = ""] = call.operands;
    await withSyncs(call, (context) => removeSync(context, sync_id));
    call.io.out(`Removed ${sync_id} and its password. Its records stay; rungs delete deletes them.`);
    return Exit.done;
  },
};

/** `rungs sync password`: replaces the password of a sync. */
export const syncPassword: Command = {
  options: secretOptions,
  async run(call) {
    const [sync_id = ""] = call.operands;
    const sync = (await withSyncs(call, listSyncs)).find((each) => each.sync_id === sync_id);
    const secret = await readSourceSecret(call, sync?.settings ?? {});
    await withSyncs(call, (context) => changeSecret(context, sync_id, secret));
    call.io.out(`${sync_id} has a new password.`);
    return Exit.done;
  },
};

/** `rungs sync answer`: answers what a connector asks while it runs. */
export const syncAnswer: Command = {
  options: {
    set: { type: "string", value: "NAME=VALUE", multiple: true, about: "a value that is not secret" },
    "answer-stdin": { type: "boolean", about: "read the values from standard input, as a JSON object" },
    cancel: { type: "boolean", about: "tell the connector that there is no answer" },
  },
  async run(call) {
    const [sync_id = ""] = call.operands;
    await withSyncs(call, async (context) => {
      const question = await requireQuestion(context, sync_id);
      await answerSync(
        context,
        sync_id,
        call.flag("cancel") ? "cancelled" : await readAnswer(call, question),
      );
    });
    call.io.out(`${sync_id} got the answer and continues.`);
    return Exit.done;
  },
};

/** `rungs sync watch`: runs syncs when they are due, as `rungs serve` does. */
export const syncWatch: Command = {
  async run(call) {
    // What agents ask for comes first.
    setPriority(constants.priority.PRIORITY_LOW);
    const end = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => end.abort());
    // `rungs serve` started it, and has ended.
    process.on("disconnect", () => end.abort());
    const onRun = (run: Parameters<typeof renderSyncRun>[0]) =>
      call.io.out(call.flag("json") ? JSON.stringify(run) : renderSyncRun(run));
    const home = resolveHome(call);
    await asOwner(call, (owner) => {
      const contextOf = (owner_id: string) => openSyncContext({ ...owner, owner_id }, home, call.io.env);
      return keepSyncing({ store: owner.store, contextOf }, end.signal, onRun);
    });
    return Exit.done;
  },
};

async function setPaused(call: CommandCall, is_paused: boolean): Promise<number> {
  const [sync_id = ""] = call.operands;
  await withSyncs(call, (context) => pauseSync(context, sync_id, is_paused));
  call.io.out(`${sync_id} is ${is_paused ? "paused" : "running again"}.`);
  return Exit.done;
}

function readSchedule({ option }: CommandCall): SyncSchedule | undefined {
  const [pattern, minutes] = [option("cron"), option("every")];
  if (pattern !== undefined && minutes !== undefined)
    throw new UsageError("Give --every or --cron, not both.");
  if (pattern !== undefined) return { kind: "cron", pattern };
  return minutes === undefined ? undefined : { kind: "every", minutes: Number(minutes) };
}
