import type { ClientOptions } from "@rungs/client";
import { createServer, ensureOwner, openSealer } from "@rungs/server";
import type { Store } from "@rungs/store";

/** The base URL of the local database: the default address of `rungs serve`. */
export const HERE = "http://127.0.0.1:7717";

/** Runs the resource server in this process: the same code and enforcement, without a socket. */
export async function openLocalFetch(store: Store): Promise<NonNullable<ClientOptions["fetch"]>> {
  await ensureOwner(store);
  const app = createServer({ store, sealer: await openSealer(store), is_served: false });
  return (url, init) => app.fetch(new Request(url, init));
}
