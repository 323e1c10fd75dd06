/** Operations that need no token. */
import {
  ApiError,
  createOpenApi,
  type OperationName,
  type Operations,
  type OutputOf,
  operations,
  SEARCH_PAGE,
} from "@rungs/contract";
import { MCP_RESOURCE } from "../access/audience.ts";
import { DPOP_ALGORITHMS } from "../access/dpop.ts";
import { PROGRAM_VERSION } from "../settings/version.ts";
import type { PublicHandler } from "./handler.ts";

type Document = OutputOf<Operations["openapi"]>;

/** Cached: creating the document takes milliseconds, and anybody may request it. */
let cached: { readonly server_url: string; readonly document: Document } | undefined;

/** `healthz`: whether the server can reach its database. */
export const handleHealthz: PublicHandler<"healthz"> = async ({ settings }) => {
  await settings.store.listOwners();
  return { status: "ok", version: PROGRAM_VERSION };
};

/** `livez`: whether the process answers. */
export const handleLivez: PublicHandler<"livez"> = async () => ({ status: "ok" });

/** `readyz`: whether to send requests here. */
export const handleReadyz: PublicHandler<"readyz"> = async ({ settings: { store, stopping } }) => {
  if (stopping?.begun.aborted) throw new ApiError("draining");
  await store.listOwners();
  return { status: "ok" };
};

/** `index`: where a client finds the rest. */
export const handleIndex: PublicHandler<"index"> = async ({ settings, base_url }) => ({
  object: "pdpp_discovery_index",
  role: "resource_server",
  resource_name: "Rungs",
  reference_revision: PROGRAM_VERSION,
  links: {
    connectors: operations.list_connectors.path,
    core_query_base: "/v1",
    schema: operations.schema.path,
    well_known: `${base_url}${operations.protected_resource.path}`,
    well_known_authorization_server: `${settings.authorization_servers[0] ?? base_url}/.well-known/oauth-authorization-server`,
  },
});

/** `openapi`: the OpenAPI description of every operation. */
export const handleOpenapi: PublicHandler<"openapi"> = async ({ base_url: server_url }) => {
  if (cached?.server_url !== server_url) {
    const document = createOpenApi({ version: PROGRAM_VERSION, server_url }) as Document;
    cached = { server_url, document };
  }
  return cached.document;
};

/** `protected_resource`: where to get tokens, and the capabilities of this server (RFC 9728). */
export const handleProtectedResource: PublicHandler<"protected_resource"> = async ({
  settings,
  base_url,
  path,
}) => ({
  resource: path.endsWith(MCP_RESOURCE) ? base_url + MCP_RESOURCE : base_url,
  resource_name: "Rungs",
  authorization_servers: [...settings.authorization_servers],
  bearer_methods_supported: ["header"],
  dpop_signing_alg_values_supported: [...DPOP_ALGORITHMS],
  pdpp_core_query_base: `${base_url}/v1`,
  pdpp_provider_connect_version: "0.1.0",
  pdpp_self_export_supported: !path.endsWith(MCP_RESOURCE),
  pdpp_token_kinds_supported: path.endsWith(MCP_RESOURCE) ? ["client"] : ["owner", "client"],
  capabilities: {
    lexical_retrieval: {
      ...describeCapability("search"),
      cross_stream: true,
      snippets: true,
      default_limit: SEARCH_PAGE.default,
      max_limit: SEARCH_PAGE.max,
    },
    semantic_retrieval: { ...describeRetrieval("semantic"), query_input: "text", lexical_blending: false },
    hybrid_retrieval: { ...describeRetrieval("hybrid"), cursor_supported: true },
    schema: describeCapability("schema"),
    field_window: describeCapability("read_record_field"),
    query: describeCapability("query_records"),
    aggregate: describeCapability("aggregate"),
    export: describeCapability("export"),
    client_event_subscriptions: {
      ...describeCapability("list_event_subscriptions"),
      stability: "experimental" as const,
      event_types: [
        "pdpp.subscription.verify",
        "pdpp.subscription.test",
        "pdpp.records.changed",
        "pdpp.grant.revoked",
      ],
      signature: "standard-webhooks-v1",
    },
  },
});

function describeRetrieval(mode: "semantic" | "hybrid") {
  return {
    supported: true,
    stability: "experimental" as const,
    endpoint: `${operations.search.path}/${mode}`,
    cross_stream: true,
    snippets: true,
    default_limit: SEARCH_PAGE.default,
    max_limit: SEARCH_PAGE.max,
  };
}

function describeCapability(name: OperationName) {
  return { supported: true, endpoint: operations[name].path };
}
