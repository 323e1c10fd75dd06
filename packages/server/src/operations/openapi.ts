import { createOpenApi, type Operations, type OutputOf } from "@rungs/contract";
import { PROGRAM_VERSION } from "../version.ts";
import type { PublicHandler } from "./handler.ts";

/** `openapi`: the description of every call. */
export const openapi: PublicHandler<"openapi"> = async ({ base_url }) =>
  createOpenApi({ version: PROGRAM_VERSION, server_url: base_url }) as OutputOf<Operations["openapi"]>;
