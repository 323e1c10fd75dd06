/** What a grant would open, before anything is given: counts and samples as the client would read them. */
import { type Grant, ownerScope } from "@rungs/contract";
import { listGrantedStreams } from "../access/authority.ts";
import { readSources } from "../access/sources.ts";
import type { ConsentStreamView } from "../oauth/consent/consents-port.ts";
import { viewStreams } from "../oauth/consent/stream-view.ts";
import { draftGrant, type GrantRequest } from "./grants.ts";
import type { OwnerContext } from "./owner-context.ts";

/** A stream as a grant would open it, and how many records it would leave out. */
export interface PreviewedStream extends ConsentStreamView {
  readonly left_out_count: number;
}

/** Previews a grant without creating it. */
export async function previewGrant(
  owner: OwnerContext,
  order: GrantRequest,
): Promise<{ grant: Grant; streams: PreviewedStream[] }> {
  const { store, owner_id } = owner;
  const grant = await draftGrant(owner, order);
  const sources = await readSources(store, owner_id);
  const chosen = listGrantedStreams(grant).map(({ connection_id, stream, limits }) => ({
    connection_id,
    stream,
    fields: limits.fields,
  }));
  const views = await viewStreams(owner, chosen, grant, sources);
  const all = await store.describeStreams(ownerScope(owner_id, [...sources.values()]));
  const streams = views.map((view) => {
    const whole = all.find(
      (each) => each.connection_id === view.connection_id && each.stream === view.stream,
    );
    return { ...view, left_out_count: (whole?.record_count ?? 0) - view.record_count };
  });
  return { grant, streams };
}
