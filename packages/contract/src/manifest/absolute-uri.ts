import { z } from "zod";

/** An absolute URI, compared letter by letter: never fetched, never normalised. */
export const absoluteUriSchema = z
  .string()
  .max(2048)
  .regex(/^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{Cc}]+$/u, { error: "must be an absolute URI" });
