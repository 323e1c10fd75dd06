/** `rungs grant …`: the owner's grants to clients. */
import { requireSelectionRequests } from "@rungs/contract";
import {
  copyMaskedRecords,
  createGrant,
  explainRecord,
  type GrantRequest,
  listGrants,
  type OwnerContext,
  type PreviewedStream,
  previewGrant,
  readUsage,
  requireGrant,
  revokeGrant,
} from "@rungs/server";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { readJsonFile, requireDurationMs, requireTime } from "../command/option-values.ts";
import { renderTable } from "../command/table.ts";
import { nameAllowed, requireAllowedScope } from "../grants/allowed-scope.ts";
import { renderExplanation, requireWholeId } from "../grants/explanation.ts";
import { describeState, renderGrant } from "../grants/grant-text.ts";
import { maskOptions, readBudget, readMasks } from "../grants/mask-options.ts";
import { asOwner } from "../home/database.ts";

/** A grant that nobody thinks of any more should not last (R71). */
const DEFAULT_EXPIRY = "30d";

/** `rungs grant create`: lets a client read, and prints its token once. */
export const grantCreate: Command = {
  options: {
    client: { type: "string", value: "NAME", about: "who may read" },
    allow: {
      type: "string",
      multiple: true,
      value: "CONNECTION/STREAM[:FIELD,FIELD]",
      about: "what may be read; CONNECTION/* allows every stream",
    },
    since: { type: "string", value: "TIME", about: "only records from this time on" },
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
  },
  async run(call) {
    const client_id = call.option("client");
    if (!client_id) throw new UsageError("--client is required: a name for who may read.");
    const created = await asOwner(call, (owner) => createRequestedGrant(call, owner, client_id));
    if (call.flag("json")) call.io.out(JSON.stringify(created));
    else call.io.out(`${renderGrant(created)}\nToken, shown only once: ${created.token}`);
    return Exit.done;
  },
};

/** `rungs grant preview`: what the same options of `grant create` would open, without giving it. */
export const grantPreview: Command = {
  ...(grantCreate.options ? { options: grantCreate.options } : {}),
  async run(call) {
    const client_id = call.option("client") ?? "preview";
    const preview = await asOwner(call, (owner) => withRequest(call, owner, client_id, previewUnmasked));
    if (call.flag("json")) call.io.out(JSON.stringify(preview));
    else call.io.out(preview.streams.map(renderPreviewed).join("\n\n"));
    return Exit.done;
  },
};

/** Masked copies exist only once a grant needs them: a preview shows the text as it is. */
function previewUnmasked(owner: OwnerContext, { masks: _, ...request }: GrantRequest) {
  return previewGrant(owner, request);
}

function renderPreviewed({
  connection_id,
  stream,
  record_count,
  left_out_count,
  samples,
}: PreviewedStream): string {
  const counts = `${connection_id}/${stream}: ${record_count} records in, ${left_out_count} out`;
  return [counts, ...samples].join("\n");
}

function createRequestedGrant(call: CommandCall, owner: OwnerContext, client_id: string) {
  return withRequest(call, owner, client_id, async (_, request) => {
    const created = await createGrant(owner, request);
    if (request.masks) await copyMaskedRecords(owner);
    return created;
  });
}

/** Reads the options of a grant and passes them to `work`. */
async function withRequest<T>(
  call: CommandCall,
  owner: OwnerContext,
  client_id: string,
  work: (owner: OwnerContext, request: GrantRequest) => Promise<T>,
): Promise<T> {
  const { option, options } = call;
  const file = option("file");
  const expires = option("expires") ?? DEFAULT_EXPIRY;
  const details =
    file === undefined ? await readAllowedScope(call, owner) : requireSelectionRequests(readJsonFile(file));
  const expires_at_ms = expires === "never" ? undefined : owner.now() + requireDurationMs(expires, "expires");
  const order = {
    client: { client_id },
    details,
    expires_at_ms,
    masks: readMasks(call),
    budget: readBudget(call),
  };
  return work(owner, order).catch((error) => {
    throw file === undefined ? nameAllowed(error, options("allow")) : error;
  });
}

async function readAllowedScope({ option, options, flag }: CommandCall, { store, owner_id }: OwnerContext) {
  return requireAllowedScope(
    {
      allow: options("allow"),
      since: requireTime(option("since"), "since"),
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

/** `rungs grant list`: every grant, including revoked and expired ones. */
export const grantList: Command = {
  async run(call) {
    const grants = await asOwner(call, listGrants);
    const rows = grants.map(({ grant, revoked_at }) => [
      grant.grant_id,
      grant.client.client_id,
      grant.issued_at,
      describeState(revoked_at, grant.expires_at),
    ]);
    if (call.flag("json")) call.io.out(JSON.stringify({ grants }));
    else call.io.out(renderTable(["GRANT", "CLIENT", "ISSUED", "STATE"], rows));
    return Exit.done;
  },
};

/** `rungs grant show`: what one grant allows. */
export const grantShow: Command = {
  async run(call) {
    const [id = ""] = call.operands;
    const found = await asOwner(call, async (owner) => {
      const stored = await requireGrant(owner, id);
      return stored.grant.budget ? { ...stored, usage: await readUsage(owner, id) } : stored;
    });
    call.io.out(call.flag("json") ? JSON.stringify(found) : renderGrant(found));
    return Exit.done;
  },
};

/** `rungs grant explain`: why a grant shows a record and its fields, or does not (R84). */
export const grantExplain: Command = {
  async run(call) {
    const [grant_id = "", id = ""] = call.operands;
    const explanation = await asOwner(call, (owner) => explainRecord(owner, grant_id, requireWholeId(id)));
    call.io.out(call.flag("json") ? JSON.stringify(explanation) : renderExplanation(explanation));
    return Exit.done;
  },
};

/** `rungs grant revoke`: ends a grant from the next request on. */
export const grantRevoke: Command = {
  async run(call) {
    const [grant_id = ""] = call.operands;
    const revoked = await asOwner(call, (owner) => revokeGrant(owner, grant_id));
    if (call.flag("json")) call.io.out(JSON.stringify({ grant_id, revoked }));
    else call.io.out(revoked ? `${grant_id} is revoked.` : `${grant_id} was revoked before.`);
    return Exit.done;
  },
};
