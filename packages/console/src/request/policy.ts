import { findScriptSource } from "../ui/script/index.ts";

/** The header of the policy. */
export const POLICY = "Content-Security-Policy";

/** Nothing from other sites, one script by its hash, no frames: the content of a record can be shown but cannot act. */
export function describePolicy(page?: string): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    `script-src ${findScriptSource(page)}`,
    "connect-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
