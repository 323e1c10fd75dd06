/** `rungs owner …`: the owners of a server, for whoever runs it. */
import {
  changeOwner,
  INVITATION_MS,
  inviteOwner,
  listOwners,
  type OwnerContext,
  type OwnerList,
  removeOwner,
  withdrawInvitation,
} from "@rungs/server";
import type { OwnerAccount, OwnerQuota } from "@rungs/store";
import type { Command, CommandCall, CommandOption } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { requireDurationMs } from "../command/option-values.ts";
import { renderTable } from "../command/table.ts";
import { asOwner, readAsOwner } from "../home/database.ts";
import { HERE } from "../home/local-server.ts";
import { findRunning } from "../home/running-server.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const NO_LIMIT = "none";
const UNITS = { K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 } as const;

const quotaOptions: Readonly<Record<string, CommandOption>> = {
  records: { type: "string", value: "N", about: "how many records they may have; none for no limit" },
  bytes: {
    type: "string",
    value: "SIZE",
    about: "how many bytes their records and files may have, such as 500M or 10G; none for no limit",
  },
  requests: {
    type: "string",
    value: "N",
    about: "how many requests a minute all their tokens may make; none for no limit",
  },
};

/** `rungs owner invite`: a link with which somebody becomes an owner. */
export const ownerInvite: Command = {
  details: ["rungs owner invite ada --bytes 10G --url https://data.example.org"],
  options: {
    ...quotaOptions,
    expires: {
      type: "string",
      value: "7d",
      about: `how long the link works; ${INVITATION_MS / DAY_MS} days by default`,
    },
    url: {
      type: "string",
      value: "URL",
      about: `the address of the server; the running one, or ${HERE}, by default`,
    },
    withdraw: { type: "boolean", about: "end the open invitation of this name instead" },
  },
  async run(call) {
    const { option, flag, io } = call;
    const [name = ""] = call.operands;
    if (flag("withdraw")) {
      const withdrawn = await asOwner(call, (context) => withdrawInvitation(context, name));
      const text = withdrawn ? `${name} is no longer invited.` : `There is no open invitation for ${name}.`;
      io.out(flag("json") ? JSON.stringify({ name, withdrawn }) : text);
      return Exit.done;
    }
    const url = option("url") ?? io.env.RUNGS_URL ?? findRunning(call)?.url ?? HERE;
    if (!URL.canParse(url)) throw new UsageError(`--url takes an address such as ${HERE}, not ${url}.`);
    const expires = option("expires");
    const lasts_ms = expires === undefined ? undefined : requireDurationMs(expires, "expires");
    const invitation = { name, quota: readQuota(call, {}), base_url: url.replace(/\/+$/, ""), lasts_ms };
    const made = await asOwner(call, (context) => inviteOwner(context, invitation));
    const text = `${name} becomes an owner with this link, which works once and until ${made.expires_at}:\n  ${made.url}`;
    io.out(flag("json") ? JSON.stringify({ name, ...made }) : text);
    return Exit.done;
  },
};

/** `rungs owner list`: every owner with sizes and quotas, and the open invitations. */
export const ownerList: Command = {
  options: { count: { type: "boolean", about: "also count the data of owners without a quota" } },
  async run(call) {
    const list = await readAsOwner(call, async (context) => {
      const { owners } = await listOwners(context);
      if (call.flag("count"))
        for (const { owner_id, usage } of owners) if (!usage) await context.store.countUsage(owner_id);
      return listOwners(context);
    });
    call.io.out(call.flag("json") ? JSON.stringify(list) : renderList(list));
    return Exit.done;
  },
};

/** `rungs owner quota`: what an owner may use; without options, what it is. */
export const ownerQuota: Command = {
  options: quotaOptions,
  run: (call) =>
    change(call, async (context, name) => {
      const account = await context.store.getAccount(name);
      const quota = readQuota(call, account.quota);
      return JSON.stringify(quota) === JSON.stringify(account.quota)
        ? account
        : changeOwner(context, name, { quota });
    }),
};

/** `rungs owner admin`: whether an owner may invite, limit and remove others in the console. */
export const ownerAdmin: Command = {
  options: { remove: { type: "boolean", about: "take the role away" } },
  run: (call) =>
    change(call, (context, name) => changeOwner(context, name, { is_admin: !call.flag("remove") })),
};

/** `rungs owner remove`: deletes an owner with everything. */
export const ownerRemove: Command = {
  options: { confirm: { type: "string", value: "NAME", about: "the name again: removes for good" } },
  async run(call) {
    const [name = ""] = call.operands;
    const confirmed = call.option("confirm");
    if (confirmed !== undefined && confirmed !== name)
      throw new UsageError(`--confirm takes the same name, ${name}. Nothing was removed.`);
    const account = await asOwner(call, async (context) => {
      const found = await context.store.getAccount(name);
      if (confirmed !== undefined) await removeOwner(context, name);
      return found;
    });
    const is_removed = confirmed !== undefined;
    const text = is_removed
      ? `${name} is removed with everything they had. Backups that were made before still hold it; rungs doctor --purge returns the space.`
      : `Nothing was removed yet. ${name} has ${describeUsage(account)}: repeat the command with --confirm ${name}`;
    call.io.out(call.flag("json") ? JSON.stringify({ ...account, is_removed }) : text);
    return Exit.done;
  },
};

async function change(
  call: CommandCall,
  work: (context: OwnerContext, name: string) => Promise<OwnerAccount>,
): Promise<number> {
  const [name = ""] = call.operands;
  const account = await asOwner(call, (context) => work(context, name));
  call.io.out(
    call.flag("json") ? JSON.stringify(account) : renderList({ owners: [account], invitations: [] }),
  );
  return Exit.done;
}

function renderList({ owners, invitations }: OwnerList): string {
  const rows = owners.map((each) => [
    each.owner_id,
    each.is_admin ? "administrator" : "owner",
    describeUsage(each),
    describeQuota(each.quota),
    each.created_at ?? "",
  ]);
  const invited = invitations.map(({ owner_id, quota, expires_at }) => [
    owner_id,
    "invited",
    "",
    describeQuota(quota),
    `until ${expires_at}`,
  ]);
  return renderTable(["OWNER", "ROLE", "HAS", "QUOTA", "SINCE"], [...rows, ...invited]);
}

function describeUsage({ usage }: OwnerAccount): string {
  return usage ? `${usage.records} records, ${formatSize(usage.bytes)}` : "not counted";
}

function describeQuota({ records, bytes, requests }: OwnerQuota): string {
  return [
    ...(records === undefined ? [] : [`${records} records`]),
    ...(bytes === undefined ? [] : [formatSize(bytes)]),
    ...(requests === undefined ? [] : [`${requests} requests a minute`]),
  ].join(", ");
}

function formatSize(bytes: number): string {
  const [unit, size] = Object.entries(UNITS).findLast(([, each]) => bytes >= each) ?? ["", 1];
  return `${Math.round((bytes / size) * 10) / 10}${unit}`;
}

function readQuota({ option }: CommandCall, before: OwnerQuota): OwnerQuota {
  const read = (name: keyof OwnerQuota, parse: (text: string) => number | undefined) => {
    const text = option(name);
    if (text === undefined) return before[name];
    const limit = text === NO_LIMIT ? undefined : parse(text);
    if (limit === undefined && text !== NO_LIMIT)
      throw new UsageError(
        `--${name} takes a number such as ${name === "bytes" ? "500M" : "1000"}, or none, not ${text}.`,
      );
    return limit;
  };
  return {
    records: read("records", parseCount),
    bytes: read("bytes", parseSize),
    requests: read("requests", parseCount),
  };
}

function parseCount(text: string): number | undefined {
  return /^[1-9]\d{0,11}$/.test(text) ? Number(text) : undefined;
}

function parseSize(text: string): number | undefined {
  const [, number, unit] = /^([1-9]\d{0,11})([KMGT])?$/.exec(text) ?? [];
  return number === undefined
    ? undefined
    : Number(number) * (unit === undefined ? 1 : UNITS[unit as keyof typeof UNITS]);
}
