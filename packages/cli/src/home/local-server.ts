import type { ClientOptions } from "@rungs/client";
import { createServer, ensureOwner, openSealer } from "@rungs/server";
import type { Store } from "@rungs/store";

/** The address of this machine's data while no server was named: the one that `rungs serve` takes by itself. */
export const HERE = "http://127.0.0.1:7717";

/** The resource server on a store within this process: same code, same enforcement, no socket. */
export async function openLocalFetch(store: Store): Promise<NonNullable<ClientOptions["fetch"]>> {
  await ensureOwner(store);
  const app = createServer({ store, sealer: await openSealer(store) });
  return (url, init) => app.fetch(new Request(url, init));
}
