/** Where the access tokens of a source come from, when it takes no password (OAuth 2, RFC 6749). */
import { z } from "zod";
import { isThisMachine } from "../this-machine.ts";

/** An https address, or one of this machine. */
const addressSchema = z.url({ protocol: /^https?$/ }).refine((text) => {
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || isThisMachine(hostname);
});

export const oauthSettingsSchema = z.strictObject({
  token_url: addressSchema,
  client_id: z.string().min(1).max(512),
  scope: z.string().max(1024).optional(),
  /** Where the owner signs in with a browser on this machine. */
  authorize_url: addressSchema.optional(),
  /** Where a sign-in with a code begins (RFC 8628), for a machine without a browser. */
  device_url: addressSchema.optional(),
});

/** How a source signs in by OAuth. */
export type OAuthSettings = z.infer<typeof oauthSettingsSchema>;

/** The addresses of providers that refuse passwords. The owner's own client, registered there, has the `client_id`. */
export const oauthProviders: Readonly<Record<string, Omit<OAuthSettings, "client_id">>> = {
  google: {
    // Without these two Google gives no refresh token. Its codes for other devices are not for mail.
    authorize_url: "https://accounts.google.com/o/oauth2/v2/auth?access_type=offline&prompt=consent",
    token_url: "https://oauth2.googleapis.com/token",
    scope: "https://mail.google.com/",
  },
  microsoft: {
    authorize_url: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    device_url: "https://login.microsoftonline.com/common/oauth2/v2.0/devicecode",
    token_url: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    scope: "https://outlook.office.com/IMAP.AccessAsUser.All offline_access",
  },
};

/** What the secret of such a source holds, as JSON. */
const secretSchema = z.strictObject({
  refresh_token: z.string().min(1),
  /** Some providers issue one even to programs that cannot keep it secret. */
  client_secret: z.string().min(1).optional(),
  access_token: z.string().min(1).optional(),
  /** When the access token expires. */
  expires_ms: z.number().optional(),
});

/** Tokens, and the secret of the client. */
export type OAuthSecret = z.infer<typeof secretSchema>;

/** Parses a secret; undefined when it is of another kind, such as a password. */
export function parseOAuthSecret(secret: string): OAuthSecret | undefined {
  try {
    return secretSchema.safeParse(JSON.parse(secret)).data;
  } catch {
    return undefined;
  }
}

/** Writes a secret, as `parseOAuthSecret` reads it. */
export function formatOAuthSecret(secret: OAuthSecret): string {
  return JSON.stringify(secret);
}
