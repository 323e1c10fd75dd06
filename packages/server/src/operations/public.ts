import {
  createOpenApi,
  type OperationName,
  type Operations,
  type OutputOf,
  operations,
  SEARCH_PAGE,
} from "@rungs/contract";
import { MCP_RESOURCE } from "../access/audience.ts";
import { PROGRAM_VERSION } from "../settings/version.ts";
import type { PublicHandler } from "./handler.ts";

/** `protected_resource`: where tokens come from, and what is offered (RFC 9728). */
export const handleProtectedResource: PublicHandler<"protected_resource"> = async ({
  settings,
  base_url,
  path,
}) => ({
  resource: path.endsWith(MCP_RESOURCE) ? base_url + MCP_RESOURCE : base_url,
  authorization_servers: [...settings.authorization_servers],
  bearer_methods_supported: ["header"],
  pdpp_core_query_base: `${base_url}/v1`,
  pdpp_token_kinds_supported: path.endsWith(MCP_RESOURCE) ? ["client"] : ["owner", "client"],
  capabilities: {
    lexical_retrieval: {
      ...offer("search"),
      cross_stream: true,
      snippets: true,
      default_limit: SEARCH_PAGE.default,
      max_limit: SEARCH_PAGE.max,
    },
    schema: offer("schema"),
    field_window: offer("read_record_field"),
    query: offer("query_records"),
    aggregate: offer("aggregate"),
    export: offer("export"),
  },
});

type Document = OutputOf<Operations["openapi"]>;

/** Making the document takes milliseconds, and anybody may ask for it. */
let made: { readonly server_url: string; readonly document: Document } | undefined;

function offer(name: OperationName) {
  return { supported: true, endpoint: operations[name].path };
}

/** `healthz`: whether the server and its database can answer. */
export const handleHealthz: PublicHandler<"healthz"> = async ({ settings }) => {
  await settings.store.listOwners();
  return { status: "ok", version: PROGRAM_VERSION };
};

/** `openapi`: the description of every call. */
export const handleOpenapi: PublicHandler<"openapi"> = async ({ base_url: server_url }) => {
  if (made?.server_url !== server_url) {
    const document = createOpenApi({ version: PROGRAM_VERSION, server_url }) as Document;
    made = { server_url, document };
  }
  return made.document;
};
