/** Signing in to a source by OAuth, at the terminal. */
import { foldToLine } from "@rungs/evidence";
import {
  formatOAuthSecret,
  type OAuthSettings,
  oauthProviders,
  startBrowserSignIn,
  startDeviceSignIn,
} from "@rungs/sources";
import type { CommandCall } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import { openBrowser, openCallback } from "../login/callback.ts";
import { hasGivenSecret, readSecret, readVariable } from "./read-secret.ts";

/** How long the owner may take. */
const SIGN_IN_MS = 15 * 60_000;

const CUSTOM = "custom";

/** Reads how to sign in to a source: the provider's addresses, overridden by the command line. */
export function readOAuthSettings({ option }: CommandCall): { readonly oauth?: Partial<OAuthSettings> } {
  const provider = option("oauth");
  if (provider === undefined) return {};
  const known = Object.hasOwn(oauthProviders, provider) ? oauthProviders[provider] : undefined;
  if (!known && provider !== CUSTOM)
    throw new UsageError(`--oauth takes ${[...Object.keys(oauthProviders), CUSTOM].join(", ")}.`);
  if (option("client-id") === undefined)
    throw new UsageError("--oauth needs --client-id: the client that you registered with the provider.");
  if (!known && option("token-url") === undefined)
    throw new UsageError("--oauth custom needs --token-url: the provider's address for tokens.");
  const given = {
    client_id: option("client-id"),
    token_url: option("token-url"),
    authorize_url: option("authorize-url"),
    device_url: option("device-url"),
    scope: option("scope"),
  };
  return { oauth: { ...known, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value)) } };
}

/** The secret of a source: a password, or the result of a sign-in. For OAuth, a given password is a refresh token. */
export async function readSourceSecret(
  call: CommandCall,
  settings: Readonly<Record<string, unknown>>,
): Promise<string> {
  // Only `readOAuthSettings` makes them.
  const oauth = settings.oauth as OAuthSettings | undefined;
  if (!oauth) return readSecret(call);
  const client_secret = readVariable(call, "client-secret-env");
  const isInteractive = oauth.authorize_url !== undefined || oauth.device_url !== undefined;
  if (hasGivenSecret(call) || !isInteractive) {
    const refresh_token = await readSecret(call);
    return formatOAuthSecret({ refresh_token, ...(client_secret === undefined ? {} : { client_secret }) });
  }
  const options = { oauth, client_secret, signal: AbortSignal.timeout(SIGN_IN_MS) };
  return call.flag("device") ? signInWithCode(call, options) : signInWithBrowser(call, options);
}

type SignInOptions = Parameters<typeof startDeviceSignIn>[0];

async function signInWithCode({ io }: CommandCall, options: SignInOptions): Promise<string> {
  const { verification_uri, user_code, finish } = await startDeviceSignIn(options);
  io.err(`Open ${foldToLine(verification_uri)} in a browser, and enter ${foldToLine(user_code)} there.`);
  return finish();
}

async function signInWithBrowser({ io }: CommandCall, options: SignInOptions): Promise<string> {
  const callback = await openCallback();
  try {
    // Microsoft accepts any port under this name, but no IP address.
    const redirect_uri = callback.redirect_uri.replace("127.0.0.1", "localhost");
    const { url, state, finish } = startBrowserSignIn(options, redirect_uri);
    if (io.watch) openBrowser(url);
    io.err(
      `Open this address in your browser to sign in:\n${url}\nWaiting for your answer there; Ctrl-C ends it.`,
    );
    const arrived = await callback.arrival(state);
    try {
      const secret = await finish(arrived.url);
      arrived.say("Signed in. You can close this page.");
      return secret;
    } catch (error) {
      arrived.say("Not signed in. The program that sent you here says why.");
      throw error;
    }
  } finally {
    callback.close();
  }
}
