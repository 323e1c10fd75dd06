import { z } from "zod";
import { anyErrors } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";

/** `healthz`: whether the server can answer. */
export const healthzOperation = defineOperation({
  name: "healthz",
  summary: "Says whether the server and its database can answer.",
  method: "GET",
  path: "/healthz",
  kind: "public",
  input: z.object({}),
  answer: "json",
  output: z.looseObject({ status: z.literal("ok"), version: z.string() }),
  errors: anyErrors,
});

/**
 * `livez`: whether the process answers at all. It does not query the database, whose failure a restart would not fix.
 */
export const livezOperation = defineOperation({
  name: "livez",
  summary: "Says that the process answers.",
  method: "GET",
  path: "/livez",
  kind: "public",
  input: z.object({}),
  answer: "json",
  output: z.looseObject({ status: z.literal("ok") }),
  errors: anyErrors,
});

/** `readyz`: whether a load balancer should send requests here. */
export const readyzOperation = defineOperation({
  name: "readyz",
  summary: "Says whether the server accepts requests: its database answers, and it is not draining.",
  method: "GET",
  path: "/readyz",
  kind: "public",
  input: z.object({}),
  answer: "json",
  output: z.looseObject({ status: z.literal("ok") }),
  errors: [...anyErrors, "draining"],
});

/** `index`: where a client finds the rest. Browsers that ask for HTML get the console at the same address. */
export const indexOperation = defineOperation({
  name: "index",
  summary: "Lists the addresses from which a client can discover everything else.",
  method: "GET",
  path: "/",
  kind: "public",
  input: z.object({}),
  answer: "json",
  output: z.looseObject({
    object: z.literal("pdpp_discovery_index"),
    role: z.literal("resource_server"),
    resource_name: z.string(),
    reference_revision: z.string().describe("The version of this server."),
    links: z.looseObject({
      connectors: z.string(),
      core_query_base: z.string(),
      schema: z.string(),
      well_known: z.string(),
      well_known_authorization_server: z.string(),
    }),
  }),
  errors: anyErrors,
});

/** `openapi`: this description. */
export const openapiDocument = defineOperation({
  name: "openapi",
  summary: "Describes every call (OpenAPI 3.1).",
  method: "GET",
  path: "/openapi.json",
  kind: "public",
  input: z.object({}),
  answer: "json",
  output: z.looseObject({ openapi: z.literal("3.1.0") }),
  errors: anyErrors,
});

const extension = z.looseObject({ supported: z.boolean(), endpoint: z.string() });
const retrieval = extension.extend({
  cross_stream: z.boolean(),
  snippets: z.boolean(),
  default_limit: z.int(),
  max_limit: z.int(),
});
const experimental = retrieval.extend({ stability: z.literal("experimental") });

/** What the server offers besides the protocol's core. */
const capabilitiesSchema = z.looseObject({
  lexical_retrieval: retrieval,
  semantic_retrieval: experimental.extend({ query_input: z.literal("text"), lexical_blending: z.boolean() }),
  hybrid_retrieval: experimental.extend({ cursor_supported: z.boolean() }),
  schema: extension,
  field_window: extension,
  query: extension,
  aggregate: extension,
  export: extension,
  client_event_subscriptions: extension.extend({
    stability: z.literal("experimental"),
    event_types: z.array(z.string()),
    signature: z.string(),
  }),
});

/** `protected_resource`: where to get a token, and what is offered (RFC 9728). */
export const protectedResourceOperation = defineOperation({
  name: "protected_resource",
  summary: "Says where to get tokens and what the server supports (RFC 9728).",
  method: "GET",
  path: "/.well-known/oauth-protected-resource",
  kind: "public",
  input: z.object({}),
  answer: "json",
  output: z.looseObject({
    resource: z.string(),
    resource_name: z.string(),
    authorization_servers: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
    dpop_signing_alg_values_supported: z.array(z.string()),
    pdpp_core_query_base: z.string(),
    pdpp_provider_connect_version: z.string(),
    pdpp_self_export_supported: z.boolean(),
    pdpp_token_kinds_supported: z.array(z.enum(["owner", "client"])),
    capabilities: capabilitiesSchema,
  }),
  errors: anyErrors,
});
