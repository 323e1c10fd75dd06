/** The endpoints of the authorization server, and the pages to which it sends the owner. */

/** The consent page; the uid of an authorization request follows. */
export const CONSENT_PAGE = "/console/consent";

/** The page where the owner types the code of a device. */
export const DEVICE_PAGE = "/console/device";

/** The endpoints by the library's names. */
export const oauthRoutes = {
  authorization: "/oauth/authorize",
  token: "/oauth/token",
  registration: "/oauth/register",
  revocation: "/oauth/revoke",
  pushed_authorization_request: "/oauth/par",
  device_authorization: "/oauth/device",
  jwks: "/oauth/jwks",
  code_verification: DEVICE_PAGE,
} as const;

/** Where separate resource servers introspect tokens (RFC 7662). */
export const INTROSPECTION = "/oauth/introspect";

/** Where agent connect starts; a program polls below it. */
export const AGENT_CONNECT = "/oauth/agent-connect";

/** Every path that is forwarded to the library; none of its other endpoints is reachable. */
export const paths: readonly string[] = [
  oauthRoutes.authorization,
  `${oauthRoutes.authorization}/:uid`,
  oauthRoutes.token,
  oauthRoutes.registration,
  oauthRoutes.revocation,
  oauthRoutes.pushed_authorization_request,
  oauthRoutes.device_authorization,
  oauthRoutes.jwks,
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration",
];
