/** What a client says about itself in an authorization request: the protocol's top-level `client_display`. */
import { z } from "zod";
import { plainMessages } from "../errors/problem.ts";

const TEXT_MAX_CHARS = 2048;

const address = z
  .url({ protocol: /^https?$/ })
  .max(TEXT_MAX_CHARS)
  .optional();

const clientDisplaySchema = z.strictObject({
  name: z.string().min(1).max(TEXT_MAX_CHARS),
  uri: address,
  logo_uri: address,
  policy_uri: address,
  tos_uri: address,
});

/** What a client says about itself. */
export type ClientDisplay = z.infer<typeof clientDisplaySchema>;

/** Parses the parameter; the reason when it is not valid. */
export function parseClientDisplay(text: string): ClientDisplay | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "client_display is not JSON" };
  }
  const parsed = clientDisplaySchema.safeParse(value, plainMessages);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = ["client_display", ...(issue?.path ?? [])].join(".");
  return { problem: `${place}: ${issue?.message ?? "is not valid"}` };
}
