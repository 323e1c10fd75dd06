import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import type { Continuation } from "@rungs/evidence";
import type { Backend } from "../adapter.ts";
import { describeError } from "../error-answer.ts";
import { formatCallUri } from "../links.ts";

/** A kind of resource: the template that its URIs fill in, and how one is read. */
export interface Resource {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly uri_template: string;
  /** The call that reads what a URI names, where a refusal may have a way on: what works instead has a URI too. */
  callOf?(uri: string): Continuation | undefined;
  /** The resource as a JSON document of bounded size. */
  read(uri: string, backend: Backend): Promise<ReadResource>;
}

/** A document, and what only hosts see. */
export interface ReadResource {
  readonly document: unknown;
  readonly meta?: Record<string, unknown> | undefined;
}

const MIME_TYPE = "application/json";

/** Adds a resource template to a server. Errors are errors of the protocol, in the words of the tools (R40). */
export function registerResource(server: McpServer, resource: Resource, backend: Backend): void {
  const { name, title, description, uri_template } = resource;
  const template = new ResourceTemplate(uri_template, { list: undefined });
  server.registerResource(
    name,
    template,
    { title, description, mimeType: MIME_TYPE },
    async ({ href: uri }) => {
      try {
        const { document, meta } = await resource.read(uri, backend);
        const content = { uri, mimeType: MIME_TYPE, text: JSON.stringify(document) };
        return { contents: [meta === undefined ? content : { ...content, _meta: meta }] };
      } catch (error) {
        throw toProtocolError(error, uri, resource.callOf?.(uri), backend);
      }
    },
  );
}

/** The ways on are URIs: in the message behind `try:`, and as `uris` of the data. */
function toProtocolError(
  thrown: unknown,
  uri: string,
  call: Continuation | undefined,
  backend: Backend,
): ProtocolError {
  const { status, error, text, next } = describeError(thrown, call, backend, formatCallUri);
  if (error.code === "not_found") return new ResourceNotFoundError(uri, text);
  const code = status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(code, text, { ...error, uris: next.map(formatCallUri) });
}
