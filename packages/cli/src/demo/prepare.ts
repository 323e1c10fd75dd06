import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGrant, digestToken, ensureOwner } from "@rungs/server";
import type { Store } from "@rungs/store";
import { UsageError } from "../command/exit.ts";
import { requireSelection } from "../grants/selection.ts";
import { DEMO_ALLOWED, fillStore } from "./fill-store.ts";

/** The demonstration's data and the token to read it with. */
export interface Prepared {
  readonly token: string;
  readonly token_file: string;
  /** Whether it was made just now. */
  readonly is_new: boolean;
}

/** Makes the sample data and its grant, or takes those that are there: the token file is written last. */
export async function prepareDemo(store: Store, home: string): Promise<Prepared> {
  const token_file = join(home, "demo-token");
  const parts = { store, owner_id: await ensureOwner(store), now: Date.now };
  const known = existsSync(token_file) ? readFileSync(token_file, "utf8").trim() : undefined;
  if (known !== undefined && (await store.findToken(digestToken(known)))) {
    return { token: known, token_file, is_new: false };
  }
  const ours = new Set(DEMO_ALLOWED.map((allowed) => allowed.split("/")[0]));
  const connections = await store.listConnections(parts.owner_id);
  if (connections.some(({ connection_id }) => !ours.has(connection_id))) {
    throw new UsageError(`${home} holds other data: choose an empty folder with --home.`);
  }
  await fillStore(parts);
  const limits = { since: undefined, until: undefined, records: [], single_use: false, purpose: undefined };
  const details = requireSelection(
    { allow: DEMO_ALLOWED, ...limits },
    await store.listConnections(parts.owner_id),
  );
  const { token } = await createGrant(parts, { client: { client_id: "demo agent" }, details });
  writeFileSync(token_file, `${token}\n`, { mode: 0o600 });
  return { token, token_file, is_new: true };
}
