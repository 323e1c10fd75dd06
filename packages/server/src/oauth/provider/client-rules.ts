/** Rules for client metadata, registered (RFC 7591) or published as a document, and for requested details. */
import {
  DATA_ACCESS_TYPE,
  requireOnePurpose,
  requireSelectionRequests,
  type SelectionRequest,
} from "@rungs/contract";
import { foldToLine, sliceChars } from "@rungs/evidence";

/** A client's metadata; the rules change it in place. */
type Metadata = Record<string, unknown>;

/** The properties to keep: none that makes a server fetch or embed something, such as logos, keys and policies. */
const KEPT: readonly string[] = [
  "client_id",
  "client_id_issued_at",
  "client_name",
  "client_uri",
  "grant_types",
  "redirect_uris",
  "response_types",
  "software_id",
];
/** The grant types that a client may use. */
export const GRANT_TYPES: readonly string[] = [
  "authorization_code",
  "refresh_token",
  "urn:ietf:params:oauth:grant-type:device_code",
];
const DEVICE_GRANT_TYPES = GRANT_TYPES.filter((type) => type !== "authorization_code");
const NAME_MAX_CHARS = 80;
const REDIRECTS_MAX = 20;

/**
 * Makes every client a public one: a program on a person's machine cannot keep a secret from that person. As native
 * clients they may redirect to any loopback port, to a custom scheme or to https, never to plain http elsewhere
 * (RFC 8252 §7).
 */
export function applyClientRules(metadata: Metadata): void {
  // A program with a name and no redirect address has no browser: it uses the device flow.
  if (typeof metadata.client_name === "string" && metadata.redirect_uris === undefined)
    Object.assign(metadata, { redirect_uris: [], response_types: [], grant_types: DEVICE_GRANT_TYPES });
  for (const name of Object.keys(metadata)) if (!KEPT.includes(name)) delete metadata[name];
  Object.assign(metadata, {
    application_type: "native",
    token_endpoint_auth_method: "none",
    id_token_signed_response_alg: "ES256",
    subject_type: "public",
    authorization_details_types: [DATA_ACCESS_TYPE],
    grant_types: keepSupported(metadata.grant_types, GRANT_TYPES),
    response_types: keepSupported(metadata.response_types, ["code"]),
  });
  if (typeof metadata.client_name === "string") {
    metadata.client_name = formatClientName(metadata.client_name);
  }
  if (Array.isArray(metadata.redirect_uris)) metadata.redirect_uris.splice(REDIRECTS_MAX);
}

/** The name of a client as it is shown: one line, bounded, inert. */
export function formatClientName(name: string): string {
  return sliceChars(foldToLine(name), 0, NAME_MAX_CHARS);
}

/** Some hosts request every grant type they know of; drop the unsupported ones instead of failing. */
function keepSupported(requested: unknown, supported: readonly string[]): unknown {
  return Array.isArray(requested) ? requested.filter((each) => supported.includes(each)) : requested;
}

/** Whether the URL of a client's document is canonical, so that it leads where it appears to. */
export function isCanonicalUrl(client_id: string): boolean {
  return URL.parse(client_id)?.href === client_id;
}

/**
 * Validates `authorization_details` without looking at the owner's data; errors name the place. An unapproved client
 * must not learn which connections, streams and fields exist.
 */
export function requireAuthorizationDetails(requested: unknown): SelectionRequest[] {
  const details = requireSelectionRequests(requested);
  requireOnePurpose(details);
  return details;
}
