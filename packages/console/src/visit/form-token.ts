import { createHmac, timingSafeEqual } from "node:crypto";
import { ApiError } from "@rungs/contract";

/** The name of the field that carries the token. */
export const FORM_TOKEN = "form_token";

/** The token of every form of a session: only a page that this session was shown can know it. */
export function createFormToken(session_token: string): string {
  return createHmac("sha256", session_token).update("rungs console form").digest("base64url");
}

/** Refuses a form that does not carry the token of the session that sends it (CSRF). */
export function requireFormToken(given: string | null | undefined, expected: string): void {
  const [a, b] = [Buffer.from(given ?? ""), Buffer.from(expected)];
  if (a.length === b.length && timingSafeEqual(a, b)) return;
  throw new ApiError("origin_not_allowed", {
    message: "The form was not sent from a page of this session.",
    next: "Open the page again in the console and send the form from there.",
  });
}
