import { PROGRAM_VERSION } from "../version.ts";
import type { PublicHandler } from "./handler.ts";

/** `healthz`: whether the server and its database can answer. */
export const handleHealthz: PublicHandler<"healthz"> = async ({ settings }) => {
  await settings.store.listOwners();
  return { status: "ok", version: PROGRAM_VERSION };
};
