import { createHmac, timingSafeEqual } from "node:crypto";
import { ApiError } from "@rungs/contract";

/** The CSRF token of a session's forms, derived from the session token: only its own pages contain it. */
export function createCsrfToken(session_token: string): string {
  return createHmac("sha256", session_token).update("rungs console form").digest("base64url");
}

/** Refuses a form without the CSRF token of the session that submits it. */
export function requireCsrfToken(given: string | null | undefined, expected: string): void {
  const [a, b] = [Buffer.from(given ?? ""), Buffer.from(expected)];
  if (a.length === b.length && timingSafeEqual(a, b)) return;
  throw new ApiError("origin_not_allowed", {
    message: "The form was not sent from a page of this session.",
    next: "Open the page again in the console and send the form from there.",
  });
}
