import { z } from "zod";
import { readErrorCodes } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import { connectionParam, streamParam } from "./params.ts";

/** `export_link`: a link with which the person downloads an export, once. */
export const exportLinkOperation = defineOperation({
  name: "export_link",
  summary:
    "Makes a link from which the person downloads the granted records, whole; it works once and for 15 minutes.",
  method: "POST",
  path: "/v1/export-links",
  kind: "client",
  input: z.object({ stream: streamParam.optional(), connection_id: connectionParam }),
  answer: "json",
  output: z.looseObject({
    object: z.literal("export_link"),
    url: z.string(),
    expires_at: z.string(),
    streams: z.array(z.looseObject({ connection_id: z.string(), stream: z.string() })),
  }),
  errors: [...readErrorCodes, "not_implemented", "client_token_required"],
});
