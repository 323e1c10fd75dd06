/** The options of `rungs grant create`, `grant preview` and `preset save`, and the grant that they describe. */
import { requireSelectionRequests } from "@rungs/contract";
import {
  applyPreset,
  type GrantPreset,
  type GrantRequest,
  type OwnerContext,
  requirePreset,
} from "@rungs/server";
import type { Command, CommandCall } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import { parseDurationMs, readJsonFile, requireTime } from "../command/option-values.ts";
import { nameAllowed, requireAllowedScope } from "./allowed-scope.ts";
import { maskOptions, readBudget, readMasks } from "./mask-options.ts";

/** A forgotten grant must expire (R71). */
const DEFAULT_EXPIRY = "30d";

/** The options that a preset can hold. */
export const selectionOptions = {
  allow: {
    type: "string",
    multiple: true,
    value: "CONNECTION/STREAM[:FIELD,FIELD]",
    about: "what may be read; CONNECTION/* allows every stream",
  },
  since: {
    type: "string",
    value: "TIME",
    about: "only records from this time on, or of the last 30d",
  },
  until: { type: "string", value: "TIME", about: "only records before this time" },
  record: { type: "string", multiple: true, value: "ID", about: "only this record" },
  where: {
    type: "string",
    multiple: true,
    value: "CONDITION",
    about: `only records with a value, such as 'labels includes "tax"'; several must all hold`,
  },
  except: {
    type: "string",
    multiple: true,
    value: "CONDITION",
    about: `no records with a value, such as 'from is "@clinic.example"'`,
  },
  expires: {
    type: "string",
    value: "TIME",
    about: "how long the grant lasts, such as 7d; 30d by default, never for until you revoke it",
  },
  "single-use": { type: "boolean", about: "for one token, which works for a day at most" },
  ...maskOptions,
  purpose: { type: "string", value: "URI", about: "what the data is for" },
  file: { type: "string", value: "FILE", about: "authorization_details as JSON, in place of --allow" },
} as const satisfies Command["options"];

export const grantOptions = {
  client: { type: "string", value: "NAME", about: "who may read" },
  preset: {
    type: "string",
    value: "NAME",
    about: "what a saved preset allows; --expires, --mask and limits beside it replace its own",
  },
  ...selectionOptions,
} as const satisfies Command["options"];

/** The options that `--preset` already determines. */
const SELECTING = ["allow", "since", "until", "record", "where", "except", "purpose", "file"] as const;

/** Reads the options of a grant and passes them to `work`. */
export async function withRequest<T>(
  call: CommandCall,
  owner: OwnerContext,
  client_id: string,
  work: (owner: OwnerContext, request: GrantRequest) => Promise<T>,
): Promise<T> {
  const preset = await readSelection(call, owner);
  return work(owner, applyPreset(owner, preset, { client_id })).catch((error) => {
    throw call.option("file") === undefined ? nameWritten(error, call) : error;
  });
}

/** Rewrites an error so that it names the option that it came from. */
export function nameWritten(error: unknown, { options }: CommandCall): unknown {
  const [allow, where, except] = [options("allow"), options("where"), options("except")];
  return nameAllowed(error, { allow, where, except });
}

async function readSelection(call: CommandCall, owner: OwnerContext): Promise<GrantPreset> {
  const name = call.option("preset");
  if (name === undefined) return readPreset(call, owner, "");
  const beside = SELECTING.find(
    (option) => call.option(option) !== undefined || call.options(option).length > 0,
  );
  if (beside !== undefined || call.flag("single-use"))
    throw new UsageError(
      `--${beside ?? "single-use"} cannot be given beside --preset, which says what may be read; save another preset.`,
    );
  const saved = await requirePreset(owner, name);
  const expires = call.option("expires");
  return {
    ...saved,
    masks: readMasks(call) ?? saved.masks,
    budget: readBudget(call) ?? saved.budget,
    lasts_ms: expires === undefined ? saved.lasts_ms : readExpiry(expires),
  };
}

/** The preset that the options describe. */
export async function readPreset(call: CommandCall, owner: OwnerContext, name: string): Promise<GrantPreset> {
  const { option } = call;
  const file = option("file");
  const since = option("since");
  const recent_ms = since === undefined ? undefined : parseDurationMs(since);
  return {
    name,
    details:
      file === undefined
        ? await readAllowedScope(call, owner, recent_ms === undefined ? since : undefined)
        : requireSelectionRequests(readJsonFile(file)),
    lasts_ms: readExpiry(option("expires") ?? DEFAULT_EXPIRY),
    recent_ms,
    masks: readMasks(call),
    budget: readBudget(call),
  };
}

function readExpiry(expires: string): number | undefined {
  if (expires === "never") return undefined;
  const lasts_ms = parseDurationMs(expires);
  if (lasts_ms !== undefined) return lasts_ms;
  throw new UsageError(
    `--expires takes a duration such as 30d, 12h or 45m, up to a hundred years, or never, not ${expires}.`,
  );
}

async function readAllowedScope(
  { option, options, flag }: CommandCall,
  { store, owner_id }: OwnerContext,
  since: string | undefined,
) {
  return requireAllowedScope(
    {
      allow: options("allow"),
      since: requireTime(since, "since", "or a duration such as 30d"),
      until: requireTime(option("until"), "until"),
      records: options("record"),
      where: options("where"),
      except: options("except"),
      single_use: flag("single-use"),
      purpose: option("purpose"),
    },
    await store.listConnections(owner_id),
  );
}
