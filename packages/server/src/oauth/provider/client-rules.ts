/** What a client may say about itself, whether it registers (RFC 7591) or publishes a document about itself. */
import {
  DATA_ACCESS_TYPE,
  requireOnePurpose,
  requireSelectionRequests,
  type SelectionRequest,
} from "@rungs/contract";
import { foldToLine, sliceChars } from "@rungs/evidence";

/** A client's metadata, as it is being read. */
type Metadata = Record<string, unknown>;

/** Nothing that a server would fetch or show from elsewhere: no logo, no keys, no policies. */
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
/** What a client may be given tokens for. */
export const GRANT_TYPES: readonly string[] = [
  "authorization_code",
  "refresh_token",
  "urn:ietf:params:oauth:grant-type:device_code",
];
const NAME_MAX_CHARS = 80;
const REDIRECTS_MAX = 20;

/**
 * Makes every client a public one: a program on somebody's machine keeps no secret from that person. As native
 * clients they may redirect to any port of this machine, to a scheme of their own or to https, never to plain http
 * elsewhere (RFC 8252 §7).
 */
export function applyClientRules(metadata: Metadata): void {
  for (const name of Object.keys(metadata)) if (!KEPT.includes(name)) delete metadata[name];
  Object.assign(metadata, {
    application_type: "native",
    token_endpoint_auth_method: "none",
    id_token_signed_response_alg: "ES256",
    subject_type: "public",
    authorization_details_types: [DATA_ACCESS_TYPE],
    grant_types: keep(metadata.grant_types, GRANT_TYPES),
    response_types: keep(metadata.response_types, ["code"]),
  });
  if (typeof metadata.client_name === "string") {
    metadata.client_name = sliceChars(foldToLine(metadata.client_name), 0, NAME_MAX_CHARS);
  }
  if (Array.isArray(metadata.redirect_uris)) metadata.redirect_uris.splice(REDIRECTS_MAX);
}

/** Some hosts ask for everything that they have heard of; what is not offered here is left out. */
function keep(asked: unknown, offered: readonly string[]): unknown {
  return Array.isArray(asked) ? asked.filter((each) => offered.includes(each)) : asked;
}

/** Whether the address of a client's document leads where a reader would think: nothing in it is written in another way. */
export function isCanonicalUrl(client_id: string): boolean {
  return URL.parse(client_id)?.href === client_id;
}

/**
 * Reads `authorization_details` as far as they can be judged without a look at what is here, or refuses them, naming the
 * place: a client that nobody has agreed to learns nothing of which connections, streams and fields there are.
 */
export function requireAuthorizationDetails(asked: unknown): SelectionRequest[] {
  const details = requireSelectionRequests(asked);
  requireOnePurpose(details);
  return details;
}
