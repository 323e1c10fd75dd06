/** How the authorization server behaves: the library's configuration. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { CodedError } from "@rungs/evidence";
import type { Store } from "@rungs/store";
import {
  type Configuration,
  type ErrorOut,
  errors,
  interactionPolicy,
  type JWKS,
  type KoaContextWithOIDC,
  Provider,
} from "oidc-provider";
import type { OwnerContext } from "../../owner/owner-context.ts";
import { applyClientRules, GRANT_TYPES, requireAuthorizationDetails } from "./client-rules.ts";
import { configureFeatures } from "./features.ts";
import { findGrant } from "./grant-family.ts";
import { lifetimes, READ_SCOPE } from "./models.ts";
import { CONSENT_PAGE, INTROSPECTION, oauthRoutes } from "./paths.ts";
import { createStateAdapter } from "./state-adapter.ts";

/** What the configuration is made of. */
export interface ProviderContext {
  readonly owner: OwnerContext;
  readonly keys: OAuthKeys;
  readonly base_url: string;
  /** Gets the documents that clients publish about themselves. */
  readonly fetch: NonNullable<Configuration["fetch"]>;
  /** Whether one more such document may be fetched now. */
  readonly mayFetch: () => boolean;
}

const COOKIE = { signed: true, httpOnly: true, sameSite: "lax" } as const;

/** What cookies and identity tokens are signed with. */
export interface OAuthKeys {
  readonly cookie_keys: readonly string[];
  readonly jwks: JWKS;
}

/** Writes the library's configuration. */
function configureProvider({ owner, keys, base_url, fetch, mayFetch }: ProviderContext): Configuration {
  return {
    adapter: (model: string) => createStateAdapter(owner, model),
    jwks: keys.jwks,
    cookies: {
      keys: [...keys.cookie_keys],
      names: { session: "rungs_oauth", interaction: "rungs_question", resume: "rungs_resume" },
      long: COOKIE,
      short: COOKIE,
    },
    routes: oauthRoutes,
    fetch,
    ttl: lifetimes,
    features: configureFeatures(owner, base_url, mayFetch),
    discovery: {
      introspection_endpoint: base_url + INTROSPECTION,
      introspection_endpoint_auth_methods_supported: ["client_secret_basic"],
    },
    // Other origins have been refused before anything gets here.
    clientBasedCORS: () => true,
    renderError,
    ...clientPart,
    ...requestPart,
    ...grantPart(owner),
  };
}

/** Who may ask. A property of ours makes the library call the rules, which are about all properties. */
const clientPart: Configuration = {
  clientAuthMethods: ["none"],
  clientDefaults: {
    grant_types: [...GRANT_TYPES],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    id_token_signed_response_alg: "ES256",
  },
  enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
  extraClientMetadata: {
    properties: ["software_id"],
    validator: (_ctx, _key, _value, metadata) => applyClientRules(metadata),
  },
};

/** What may be asked, and that the owner is asked. */
const requestPart: Configuration = {
  responseTypes: ["code"],
  scopes: [READ_SCOPE, "offline_access"],
  pkce: { required: () => true },
  extraParams: {
    scope: addScope,
    authorization_details: (_ctx, details) => checkDetails(details),
  },
  interactions: {
    policy: [askAlways(), new interactionPolicy.Prompt({ name: "login", requestable: true })],
    url: (_ctx, { uid }) => `${CONSENT_PAGE}/${uid}`,
  },
};

/** What comes of a yes. */
function grantPart(owner: OwnerContext): Configuration {
  const { owner_id } = owner;
  return {
    findAccount: (_ctx, id) => (id === owner_id ? { accountId: id, claims: () => ({ sub: id }) } : undefined),
    loadExistingGrant: findAgreedGrant,
    expiresWithSession: () => false,
    issueRefreshToken: async (_ctx, client, source) =>
      client.grantTypeAllowed("refresh_token") &&
      (await findGrant(owner, source.grantId))?.access_mode === "continuous",
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
  };
}

/** RFC 6749 §3.3: a scope that is left out has a default. */
function addScope({ oidc: { params } }: KoaContextWithOIDC, scope: string | undefined): void {
  if (params) params.scope = [...new Set([...(scope?.split(" ") ?? []), READ_SCOPE])].join(" ");
}

/** Only what they are in themselves: whether there is such a thing here is the owner's to know and to tell. */
function checkDetails(details: string | undefined): void {
  if (details === undefined) return;
  try {
    requireAuthorizationDetails(JSON.parse(details));
  } catch (error) {
    if (error instanceof CodedError) throw new errors.InvalidAuthorizationDetails(error.message);
    throw error;
  }
}

/** Each request is a question of its own: what was agreed to before answers no other. */
function askAlways(): interactionPolicy.Prompt {
  const { Check, Prompt } = interactionPolicy;
  const isOpen = ({ oidc }: KoaContextWithOIDC) => oidc.result?.consent === undefined;
  return new Prompt(
    { name: "consent", requestable: true },
    new Check("owner_asked", "the owner has to agree", "consent_required", isOpen),
  );
}

function findAgreedGrant({ oidc }: KoaContextWithOIDC) {
  const grant_id = oidc.result?.consent?.grantId;
  return grant_id === undefined ? undefined : (oidc.provider as Provider).Grant.find(grant_id);
}

/** For a browser that cannot be sent back: plain text, in which nothing that came with the request can act. */
function renderError(ctx: KoaContextWithOIDC, { error, error_description }: ErrorOut): void {
  ctx.type = "text/plain; charset=utf-8";
  ctx.body = `${error}: ${error_description ?? "the request was refused"}\n\nStart again from the program that sent you here.\n`;
}

/** Makes the library's server, which writes nothing to the console and takes its addresses from headers of ours. */
export function openProvider(owner: ProviderContext): Provider {
  const provider = new Provider(owner.base_url, configureProvider(owner));
  provider.silent = true;
  provider.proxy = true;
  return provider;
}

/** Reads the keys, or makes them the first time. */
export async function openKeys(store: Store): Promise<OAuthKeys> {
  const cookie_key = await store.getSecret("oauth-cookies", () => randomBytes(32).toString("base64url"));
  const signing_key = await store.getSecret("oauth-signing", createSigningKey);
  return { cookie_keys: [cookie_key], jwks: { keys: [JSON.parse(signing_key)] } };
}

function createSigningKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return JSON.stringify({ ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig" });
}
