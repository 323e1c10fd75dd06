/** `rungs grant …`: the owner's grants to clients. */
import {
  type ConsentStreamView,
  copyMaskedRecords,
  createGrant,
  explainRecord,
  listGrants,
  type OwnerContext,
  previewGrant,
  readUsage,
  requireGrant,
  revokeGrant,
} from "@rungs/server";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { renderTable } from "../command/table.ts";
import { renderExplanation, requireWholeId } from "../grants/explanation.ts";
import { grantOptions, withRequest } from "../grants/grant-options.ts";
import { describeState, renderGrant } from "../grants/grant-text.ts";
import { asOwner, readAsOwner } from "../home/database.ts";

/** `rungs grant create`: lets a client read, and prints its token once. */
export const grantCreate: Command = {
  options: grantOptions,
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
  options: grantOptions,
  async run(call) {
    const client_id = call.option("client") ?? "preview";
    const preview = await asOwner(call, (owner) => withRequest(call, owner, client_id, previewGrant));
    if (call.flag("json")) call.io.out(JSON.stringify(preview));
    else call.io.out(preview.streams.map(renderPreviewed).join("\n\n"));
    return Exit.done;
  },
};

function renderPreviewed({
  connection_id,
  stream,
  record_count,
  left_out_count,
  samples,
}: ConsentStreamView): string {
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

/** `rungs grant list`: every grant, including revoked and expired ones. */
export const grantList: Command = {
  async run(call) {
    const grants = await readAsOwner(call, listGrants);
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
    const found = await readAsOwner(call, async (owner) => {
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
    const explanation = await readAsOwner(call, (owner) =>
      explainRecord(owner, grant_id, requireWholeId(id)),
    );
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
