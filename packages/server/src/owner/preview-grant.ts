/** What a grant would open, before anything is given: counts and samples as the client would read them. */
import type { Grant } from "@rungs/contract";
import { listGrantedStreams, readSources } from "../access/authority.ts";
import type { ConsentStreamView } from "../oauth/consent/consents-port.ts";
import { viewStreams } from "../oauth/consent/stream-view.ts";
import { draftGrant, type GrantRequest } from "./grants.ts";
import type { OwnerContext } from "./owner-context.ts";

/** Previews a grant without creating it. */
export async function previewGrant(
  owner: OwnerContext,
  order: GrantRequest,
): Promise<{ grant: Grant; streams: ConsentStreamView[] }> {
  const { store, owner_id } = owner;
  const grant = await draftGrant(owner, order);
  const sources = await readSources(store, owner_id);
  const chosen = listGrantedStreams(grant).map(({ connection_id, stream, limits }) => ({
    connection_id,
    stream,
    fields: limits.fields,
  }));
  const streams = await viewStreams(owner, chosen, grant, sources);
  return { grant, streams };
}
