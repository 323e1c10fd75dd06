/** What people know clients by: the name that a client has in its grants. */

import { sliceChars } from "@rungs/evidence";
import { CONSOLE_CLIENT, listGrants, OWNER_CLIENT, type OwnerContext } from "@rungs/server";

/** Names a client by its id. */
export type ClientNamer = (client_id: string) => string;

const OWN: Readonly<Record<string, string>> = {
  [OWNER_CLIENT]: "You",
  [CONSOLE_CLIENT]: "You (console)",
};
const ID_CHARS = 6;

/** Creates the namer of an owner's clients. Clients choose their names: one that another client has too is followed by the id. */
export async function createClientNamer(owner: OwnerContext): Promise<ClientNamer> {
  const grants = await listGrants(owner);
  return nameClients(grants.map(({ grant }) => grant.client));
}

export function nameClients(
  clients: readonly { readonly client_id: string; readonly name?: string | undefined }[],
): ClientNamer {
  const names = new Map(clients.map(({ client_id, name = client_id }) => [client_id, name]));
  const holders = Map.groupBy([...names.keys(), ...Object.keys(OWN)], (id) => OWN[id] ?? names.get(id));
  return (client_id) => {
    const name = OWN[client_id] ?? names.get(client_id) ?? client_id;
    const isShared = (holders.get(name)?.length ?? 0) > 1 && OWN[client_id] === undefined;
    return isShared ? `${name} (${sliceChars(client_id, 0, ID_CHARS)}…)` : name;
  };
}
