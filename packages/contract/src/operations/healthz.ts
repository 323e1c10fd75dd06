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
