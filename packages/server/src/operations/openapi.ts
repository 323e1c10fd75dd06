import { createOpenApi, type Operations, type OutputOf } from "@rungs/contract";
import { PROGRAM_VERSION } from "../version.ts";
import type { PublicHandler } from "./handler.ts";

type Document = OutputOf<Operations["openapi"]>;

/** Making the document takes milliseconds, and anybody may ask for it. */
let made: { readonly server_url: string; readonly document: Document } | undefined;

/** `openapi`: the description of every call. */
export const openapi: PublicHandler<"openapi"> = async ({ base_url: server_url }) => {
  if (made?.server_url !== server_url) {
    const document = createOpenApi({ version: PROGRAM_VERSION, server_url }) as Document;
    made = { server_url, document };
  }
  return made.document;
};
