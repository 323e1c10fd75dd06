import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import type { Continuation } from "@rungs/evidence";
import { type Backend, untilCancelled } from "./backend.ts";
import { describeError } from "./error-answer.ts";
import { formatCallUri } from "./links.ts";

/** A kind of resource: its URI template and how to read one. */
export interface Resource {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly uri_template: string;
  /** The call that reads the same as a URI, so that an error can suggest other URIs. */
  toCall?(uri: string): Continuation | undefined;
  /** The resource as a JSON document of bounded size, or as the bytes of a file. */
  read(uri: string, backend: Backend): Promise<ReadResource>;
}

/** A document and metadata that only hosts see, or the bytes of a file. */
export type ReadResource =
  | { readonly document: unknown; readonly meta?: Record<string, unknown> | undefined }
  | { readonly bytes: Buffer; readonly mime_type: string };

/** The type of every resource that is a document. */
export const DOCUMENT_TYPE = "application/json";

/** Registers a resource template. Errors are protocol errors with the text that tools use (R40). */
export function registerResource(server: McpServer, resource: Resource, backend: Backend): void {
  const { name, title, description, uri_template } = resource;
  const template = new ResourceTemplate(uri_template, { list: undefined });
  server.registerResource(
    name,
    template,
    { title, description, mimeType: DOCUMENT_TYPE },
    async ({ href: uri }, _variables, { mcpReq: { signal } }) => {
      try {
        const read = await resource.read(uri, untilCancelled(backend, signal));
        if ("bytes" in read)
          return { contents: [{ uri, mimeType: read.mime_type, blob: read.bytes.toString("base64") }] };
        const { document, meta } = read;
        const content = { uri, mimeType: DOCUMENT_TYPE, text: JSON.stringify(document) };
        return { contents: [meta === undefined ? content : { ...content, _meta: meta }] };
      } catch (error) {
        throw toProtocolError(error, uri, resource.toCall?.(uri), backend);
      }
    },
  );
}

/** Suggests URIs to read instead: in the message after `try:`, and as `uris` of the data. */
export function toProtocolError(
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
