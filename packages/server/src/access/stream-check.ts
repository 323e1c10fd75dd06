import { ApiError, type ReadScope } from "@rungs/contract";
import type { StoredToken } from "@rungs/store";
import type { Settings } from "../settings/options.ts";
import { requireAccess } from "./authenticate.ts";
import { type Authority, authorize } from "./authority.ts";
import type { SourceDescriber } from "./sources.ts";

/** A stream that is being sent: who opened it, and what it may read. */
export interface OpenStream {
  readonly token: StoredToken;
  readonly audience: string;
  readonly authority: Authority;
}

/**
 * Creates the check before each chunk of a stream: it throws whatever a new request under the same token would get (R58),
 * and when the stream has lasted too long.
 */
export function createStreamCheck(
  { tokens, now, limits }: Settings,
  describeSources: SourceDescriber,
  { token, audience, authority }: OpenStream,
): () => Promise<void> {
  const started_ms = performance.now();
  return async () => {
    if (performance.now() - started_ms > limits.stream_ms) throw new ApiError("stream_too_long");
    const now_ms = now();
    const access = await requireAccess({ digest: token.digest }, tokens, now_ms, audience);
    const { grant_key, scope } = await authorize(access, describeSources, now_ms);
    if (grant_key !== authority.grant_key) throw new ApiError("grant_revoked");
    if (hides(scope) !== hides(authority.scope)) throw new ApiError("cursor_expired");
  };
}

/** What the owner hides: an exclusion ends the streams that it narrows. */
function hides({ streams }: ReadScope): string {
  return JSON.stringify(streams.map(({ never, within }) => [never ?? null, within ?? null]));
}
