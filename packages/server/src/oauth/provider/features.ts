/** The features of oidc-provider, each with the rules that apply here. */
import type { IncomingMessage } from "node:http";
import { DATA_ACCESS_TYPE } from "@rungs/contract";
import { type Configuration, errors, type KoaContextWithOIDC } from "oidc-provider";
import { isOwnResource } from "../../access/audience.ts";
import type { OwnerContext } from "../../owner/owner-context.ts";
import { isCanonicalUrl } from "./client-rules.ts";
import { findAccountGrant } from "./grant-family.ts";
import { computeAccessTokenLifetime, DOCUMENT_CACHE, READ_SCOPE } from "./models.ts";

type Features = NonNullable<Configuration["features"]>;

/** Turns features on and off. */
export function configureFeatures(
  owner: OwnerContext,
  base_url: string,
  mayFetch: (incoming: IncomingMessage) => Promise<boolean>,
  nonceSecret: Buffer,
): Features {
  return {
    clientIdMetadataDocument: {
      enabled: true,
      ack: "draft-02",
      allowFetch: async (ctx, client_id) => isCanonicalUrl(client_id) && (await mayFetch(ctx.req)),
      cacheDuration: DOCUMENT_CACHE,
    },
    deviceFlow: { enabled: true },
    pushedAuthorizationRequests: { enabled: true },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_ctx, _client, oneOf) => oneOf?.[0] ?? base_url,
      getResourceServerInfo: (ctx, resource) => describeResource(ctx, resource, owner, base_url),
    },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    richAuthorizationRequests: {
      enabled: true,
      // `checkDetails` validates all details of a request together, after its other parameters.
      types: { [DATA_ACCESS_TYPE]: { validate: () => undefined } },
      authorizationDetailsForGrantSource: (ctx) => ctx.oidc.entities.Grant?.rar,
      authorizationDetailsForAccessToken: (_ctx, _token, source) => source?.rar,
      authorizationDetailsForIntrospection: () => undefined,
    },
    devInteractions: { enabled: false },
    dPoP: { enabled: true, nonceSecret, requireNonce: () => true },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
  };
}

/** The server and its MCP endpoint are one resource: a token for either is valid for both. */
async function describeResource(
  { oidc }: KoaContextWithOIDC,
  resource: string,
  owner: OwnerContext,
  base_url: string,
) {
  if (!isOwnResource(resource, base_url)) throw new errors.InvalidTarget("this server is another resource");
  return {
    scope: READ_SCOPE,
    audience: base_url,
    accessTokenFormat: "opaque" as const,
    accessTokenTTL: computeAccessTokenLifetime(await findAccountGrant(owner, oidc.entities.Grant)),
  };
}
