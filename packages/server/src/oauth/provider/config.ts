/** The configuration of oidc-provider, the library that implements the authorization server. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { DATA_ACCESS_TYPE, parseClientDisplay } from "@rungs/contract";
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
import { readNonceSecret } from "../../access/dpop-nonces.ts";
import type { OwnerContext } from "../../owner/owner-context.ts";
import { rewordAnswer } from "../agent-connect.ts";
import { type DocumentReader, explainUnread } from "./client-documents.ts";
import { applyClientRules, GRANT_TYPES, requireAuthorizationDetails } from "./client-rules.ts";
import { configureFeatures } from "./features.ts";
import { findAccountGrant } from "./grant-family.ts";
import { lifetimes, READ_SCOPE } from "./models.ts";
import { AGENT_CONNECT, CONSENT_PAGE, INTROSPECTION, oauthRoutes } from "./paths.ts";
import { createStateAdapter } from "./state-adapter.ts";

/** What the provider depends on. */
interface ProviderContext {
  /** The program's context. */
  readonly program: OwnerContext;
  readonly base_url: string;
  /** Reads the metadata documents that clients publish. */
  readonly documents: DocumentReader;
  /** Whether the rate limit allows one more such fetch for this request now. */
  readonly mayFetch: (incoming: IncomingMessage) => Promise<boolean>;
}

/** The keys that sign cookies and identity tokens, and that nonces are derived from. */
interface OAuthKeys {
  readonly cookie_keys: readonly string[];
  readonly jwks: JWKS;
  readonly nonce_secret: Buffer;
}

/** The member of the server's metadata that makes clients send the URL of a document. */
const DOCUMENTS_OFFERED = "client_id_metadata_document_supported";

const COOKIE = { signed: true, httpOnly: true, sameSite: "lax" } as const;

/** Opens the provider. It logs nothing, and derives URLs from the headers that `forceIssuerHost` sets. */
export async function openProvider(context: ProviderContext): Promise<Provider> {
  const keys = await openKeys(context.program.store);
  const provider = new Provider(context.base_url, configureProvider(context, keys));
  provider.silent = true;
  provider.proxy = true;
  provider.use(async (ctx, next) => {
    await next();
    const { body, status } = ctx;
    if (typeof body === "object" && body !== null) {
      const reworded = rewordAnswer(ctx.req, { status, body });
      if (reworded) Object.assign(ctx, reworded);
    }
    const isOffer = typeof body === "object" && body !== null && DOCUMENTS_OFFERED in body;
    if (isOffer && !context.documents.isOffered()) delete body[DOCUMENTS_OFFERED];
  });
  return provider;
}

/** Reads the signing keys, or creates them the first time; every server on the store shares them. */
async function openKeys(store: Store): Promise<OAuthKeys> {
  const cookie_key = await store.getSecret("oauth-cookies", () => randomBytes(32).toString("base64url"));
  const signing_key = await store.getSecret("oauth-signing", createSigningKey);
  return {
    cookie_keys: [cookie_key],
    jwks: { keys: [JSON.parse(signing_key)] },
    nonce_secret: await readNonceSecret(store),
  };
}

function createSigningKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return JSON.stringify({ ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig" });
}

function configureProvider(
  { program, base_url, documents, mayFetch }: ProviderContext,
  keys: OAuthKeys,
): Configuration {
  return {
    adapter: (model: string) => createStateAdapter(program, model),
    jwks: keys.jwks,
    cookies: {
      keys: [...keys.cookie_keys],
      names: { session: "rungs_oauth", interaction: "rungs_question", resume: "rungs_resume" },
      long: COOKIE,
      short: COOKIE,
    },
    routes: oauthRoutes,
    fetch: documents.fetch,
    ttl: lifetimes,
    features: configureFeatures(program, base_url, mayFetch, keys.nonce_secret),
    discovery: {
      introspection_endpoint: base_url + INTROSPECTION,
      introspection_endpoint_auth_methods_supported: ["client_secret_basic"],
      agent_connect_endpoint: base_url + AGENT_CONNECT,
      pdpp_authorization_details_types_supported: [DATA_ACCESS_TYPE],
      pdpp_provider_connect_capabilities: ["agent_connect", "device_flow", "pushed_authorization_requests"],
      pdpp_registration_modes_supported: documents.isOffered()
        ? ["dynamic", "client_id_metadata_document"]
        : ["dynamic"],
    },
    // `checkHost` has already refused other origins.
    clientBasedCORS: () => true,
    renderError,
    ...clientConfig,
    ...requestConfig,
    ...configureGrants(program),
  };
}

/** Clients. Declaring an extra property makes the library call our rules, which cover all properties. */
const clientConfig: Configuration = {
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

/** Authorization requests: what they may contain, and that each one asks the owner. */
const requestConfig: Configuration = {
  responseTypes: ["code"],
  scopes: [READ_SCOPE, "offline_access"],
  pkce: { required: () => true },
  extraParams: {
    scope: addScope,
    authorization_details: (_ctx, details) => checkDetails(details),
    client_display: (_ctx, display) => checkDisplay(display),
  },
  interactions: {
    policy: [promptAlways(), new interactionPolicy.Prompt({ name: "login", requestable: true })],
    url: (_ctx, { uid }) => `${CONSENT_PAGE}/${uid}`,
  },
};

/** What an approved request leads to. */
function configureGrants(program: OwnerContext): Configuration {
  return {
    // Whoever signed in gave the grant; without an owner of that name there is no grant either.
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    loadExistingGrant: findAgreedGrant,
    expiresWithSession: () => false,
    issueRefreshToken: async (_ctx, client, source) =>
      client.grantTypeAllowed("refresh_token") &&
      (await findAccountGrant(program, { jti: source.grantId ?? "", accountId: source.accountId }))
        ?.access_mode === "continuous",
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
  };
}

/** RFC 6749 §3.3: a missing scope gets the default. */
function addScope({ oidc: { params } }: KoaContextWithOIDC, scope: string | undefined): void {
  if (params) params.scope = [...new Set([...(scope?.split(" ") ?? []), READ_SCOPE])].join(" ");
}

/** Validates form only: whether a connection or stream exists is for the owner to know and reveal. */
function checkDetails(details: string | undefined): void {
  if (details === undefined) return;
  try {
    requireAuthorizationDetails(JSON.parse(details));
  } catch (error) {
    if (error instanceof CodedError) throw new errors.InvalidAuthorizationDetails(error.message);
    throw error;
  }
}

function checkDisplay(display: string | undefined): void {
  const parsed = display === undefined ? undefined : parseClientDisplay(display);
  if (parsed && "problem" in parsed) throw new errors.InvalidRequest(parsed.problem);
}

/** Prompts for every request: an earlier consent never answers a later request. */
function promptAlways(): interactionPolicy.Prompt {
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

/** For a browser that cannot be redirected back. Plain text, so that nothing from the request can run as markup. */
function renderError(ctx: KoaContextWithOIDC, { error, error_description }: ErrorOut): void {
  ctx.type = "text/plain; charset=utf-8";
  ctx.body =
    explainUnread(error_description, ctx.oidc?.params?.client_id) ??
    `${error}: ${error_description ?? "the request was refused"}\n\nStart again from the program that sent you here.\n`;
}
