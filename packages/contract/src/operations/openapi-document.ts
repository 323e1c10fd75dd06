import { z } from "zod";
import { anyErrors } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";

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
