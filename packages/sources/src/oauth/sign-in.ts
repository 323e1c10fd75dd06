/** The owner's sign-in at a provider: in a browser on this machine (RFC 8252, RFC 7636), or with a code on another (RFC 8628). */
import { createHash, randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "@rungs/contract";
import { z } from "zod";
import { broken, type GivenToken, OAuthRefused, postForm, requestTokens } from "./request-tokens.ts";
import { formatOAuthSecret, type OAuthSettings } from "./settings.ts";

/** What a sign-in needs. */
export interface SignInOptions {
  readonly oauth: OAuthSettings;
  readonly client_secret: string | undefined;
  readonly signal: AbortSignal;
}

/** A pending sign-in in a browser. */
export interface BrowserSignIn {
  /** The address for the browser to open. */
  readonly url: string;
  readonly state: string;
  /** Exchanges the redirect address for a secret. */
  finish(callback: URL): Promise<string>;
}

/** Begins a sign-in in a browser, which is redirected to `redirect_uri`. */
export function startBrowserSignIn(options: SignInOptions, redirect_uri: string): BrowserSignIn {
  const { oauth, client_secret, signal } = options;
  const { authorize_url, client_id, scope, token_url } = oauth;
  if (authorize_url === undefined)
    throw new ApiError("invalid_request", {
      param: "oauth",
      message: "The address where the owner signs in is missing.",
      next: "Give --authorize-url, or the refresh token as the password.",
    });
  const [state, code_verifier] = [createSecret(), createSecret()];
  const url = new URL(authorize_url);
  const query = {
    client_id,
    redirect_uri,
    response_type: "code",
    ...(scope === undefined ? {} : { scope }),
    state,
    code_challenge: createHash("sha256").update(code_verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return {
    url: url.href,
    state,
    finish: ({ searchParams }) =>
      explainRefusal(async () => {
        const error = searchParams.get("error");
        if (error !== null) throw new OAuthRefused(error, searchParams.get("error_description") ?? undefined);
        const code = searchParams.get("code") ?? "";
        const form = { grant_type: "authorization_code", code, code_verifier, redirect_uri };
        const given = await requestTokens(token_url, { ...form, client_id, client_secret }, signal);
        return toSecret(given, client_secret);
      }),
  };
}

const deviceSchema = z.looseObject({
  device_code: z.string().min(1),
  user_code: z.string().min(1).max(100),
  verification_uri: z.url({ protocol: /^https?$/ }),
  interval: z.number().positive().optional(),
  expires_in: z.number().positive().optional(),
});

/** A pending sign-in on another machine. */
export interface DeviceSignIn {
  readonly user_code: string;
  readonly verification_uri: string;
  /** Waits until the owner has answered, and returns the secret. */
  finish(): Promise<string>;
}

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const INTERVAL_S = 5;

/** Begins a sign-in with a code. */
export function startDeviceSignIn({ oauth, client_secret, signal }: SignInOptions): Promise<DeviceSignIn> {
  return explainRefusal(async () => {
    const { device_url, client_id, scope, token_url } = oauth;
    if (device_url === undefined)
      throw new ApiError("invalid_request", {
        param: "oauth",
        message: "This provider has no sign-in with a code.",
        next: "Leave --device out and sign in with a browser on this machine.",
      });
    const parsed = deviceSchema.safeParse(await postForm(device_url, { client_id, scope }, signal));
    if (!parsed.success) throw broken();
    const { device_code, user_code, verification_uri, interval = INTERVAL_S } = parsed.data;
    const form = { grant_type: DEVICE_GRANT, device_code, client_id, client_secret };
    const poll = async (): Promise<string> => {
      for (let wait_s = interval; ; ) {
        await delay(wait_s * 1000, undefined, { signal });
        try {
          return toSecret(await requestTokens(token_url, form, signal), client_secret);
        } catch (error) {
          if (!(error instanceof OAuthRefused)) throw error;
          if (error.error === "slow_down") wait_s += INTERVAL_S;
          else if (error.error !== "authorization_pending") throw error;
        }
      }
    };
    return { user_code, verification_uri, finish: () => explainRefusal(poll) };
  });
}

function toSecret(
  { access_token, refresh_token, lifetime_ms }: GivenToken,
  client_secret: string | undefined,
): string {
  if (refresh_token === undefined)
    throw new ApiError("source_refused", {
      message: "The provider gave no refresh token, without which the sign-in ends within the hour.",
      next: "Check that the scope asks for offline access.",
    });
  return formatOAuthSecret({
    refresh_token,
    access_token,
    expires_ms: Date.now() + lifetime_ms,
    ...(client_secret === undefined ? {} : { client_secret }),
  });
}

async function explainRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OAuthRefused)) throw error;
    throw new ApiError("source_refused", {
      message: `The provider refused the sign-in: ${error.message}.`,
      next: "Check the client id and its secret, and sign in again.",
    });
  }
}

function createSecret(): string {
  return randomBytes(32).toString("base64url");
}
