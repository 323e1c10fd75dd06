import { type Client, createClient } from "@rungs/client";
import { ApiError } from "@rungs/contract";
import type { CommandCall } from "../command/command.ts";
import { GET_TOKEN } from "../command/exit.ts";
import { openExistingStore } from "../home/database.ts";
import { HERE, openLocalFetch } from "../home/local-server.ts";
import { findAccess } from "../login/client-access.ts";

/** Calls `work` with a client under the token of a grant: of the named server, else of the local database, under the same rules. */
export async function withClient<T>(call: CommandCall, work: (client: Client) => Promise<T>): Promise<T> {
  const access = findAccess(call);
  if (!access) throw new ApiError("missing_token", { message: "There is no token.", next: GET_TOKEN });
  const { base_url, token } = access;
  if (base_url !== undefined) return work(createClient({ base_url, token }));
  const store = await openExistingStore(call);
  try {
    const fetch = await openLocalFetch(store);
    return await work(createClient({ base_url: HERE, token, fetch }));
  } finally {
    await store.close();
  }
}
