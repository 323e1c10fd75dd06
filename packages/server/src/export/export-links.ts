/** Download links for exports: each works once, for a few minutes, under the token that requested it. */
import { ApiError } from "@rungs/contract";
import type { Access, Store } from "@rungs/store";
import { createToken, digestToken, requireAccess } from "../access/tokens.ts";
import { PROGRAM_ID } from "../owner/owner-context.ts";

const KIND = "export-link";
const LINK_MS = 15 * 60_000;

/** Where links lead; the rest is the secret. */
export const EXPORT_LINKS = "/v1/export-links";

/** What is stored of a link. */
interface StoredLink {
  readonly token: string;
  readonly query: string;
  readonly expires_at_ms: number;
}

/** A new link: its path with the query that it is for, and when it ends. */
export interface ExportLink {
  readonly path: string;
  readonly expires_at_ms: number;
}

/** Creates a link. Only digests are stored: of the link's secret, and of the token that the download is read under (R53). */
export async function createExportLink(
  store: Store,
  { token, query, now_ms }: { readonly token: string; readonly query: string; readonly now_ms: number },
): Promise<ExportLink> {
  const secret = createToken();
  const expires_at_ms = now_ms + LINK_MS;
  const value: StoredLink = { token, query, expires_at_ms };
  // The store forgets it by its own clock.
  const forgotten_at_ms = Math.max(now_ms, Date.now()) + LINK_MS;
  await store.putState(PROGRAM_ID, {
    kind: KIND,
    id: digestToken(secret),
    value,
    expires_at_ms: forgotten_at_ms,
  });
  return { path: `${EXPORT_LINKS}/${secret}${query === "" ? "" : `?${query}`}`, expires_at_ms };
}

/**
 * Creates the check that identifies the caller of a link. The first call uses the link up; the token and its grants are checked
 * each time, so that a link ends with them.
 */
export function createLinkCheck(
  url: URL,
  { store, now, audience }: { readonly store: Store; readonly now: () => number; readonly audience: string },
): () => Promise<Access> {
  let taken: Promise<string> | undefined;
  return async () => {
    taken ??= takeLink(url, store, now());
    return requireAccess({ digest: await taken }, store, now(), audience);
  };
}

/** Takes a link and returns the digest of its token. */
async function takeLink({ pathname, searchParams }: URL, store: Store, now_ms: number): Promise<string> {
  const id = digestToken(pathname.slice(EXPORT_LINKS.length + 1));
  const link = (await store.takeState(PROGRAM_ID, KIND, id))?.value as StoredLink | undefined;
  if (link && link.expires_at_ms > now_ms && link.query === searchParams.toString()) return link.token;
  throw new ApiError("invalid_token", {
    message: "The link was used before, has expired, or was changed.",
    next: "Ask for a new link.",
  });
}
