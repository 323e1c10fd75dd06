/** Where the authorization server answers, and where it sends the owner. */

/** The owner's page for one question. */
export const CONSENT_PAGE = "/console/consent";

/** The owner's page where the code of a device is typed. */
export const DEVICE_PAGE = "/console/device";

/** The library's names for its endpoints, and where they are. */
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

/** Where a separated resource server asks about tokens (RFC 7662). */
export const INTROSPECTION = "/oauth/introspect";

/** Every address that is the library's to answer; nothing else of it can be reached. */
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
