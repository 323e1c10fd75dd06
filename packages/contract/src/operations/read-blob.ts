import { z } from "zod";
import { readErrorCodes } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";

/** `read_blob`: the bytes of a blob that a granted field refers to, or a range of them. */
export const readBlobOperation = defineOperation({
  name: "read_blob",
  summary: "Returns a blob's bytes, or a range of them, if a granted field of a granted record refers to it.",
  method: "GET",
  path: "/v1/blobs/{blob_id}",
  kind: "client",
  input: z.object({
    blob_id: z
      .string()
      .regex(/^[A-Za-z0-9._~-]{1,128}$/)
      .describe("blob_id of a blob_ref."),
    range: z
      .string()
      .regex(/^bytes=(?:\d{1,15}-\d{0,15}|-\d{1,15})$/)
      .describe("A single byte range (RFC 9110), such as bytes=0-65535.")
      .optional(),
  }),
  headers: ["range"],
  answer: "bytes",
  output: z.instanceof(Uint8Array),
  errors: [...readErrorCodes, "blob_not_found", "range_not_satisfiable", "stream_too_long"],
});
