import { ApiError } from "@rungs/contract";
import { createToken, digestToken } from "../access/bearer.ts";
import { createRateLimit } from "../access/rate-limit.ts";
import { recordEvent } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";
import { isPassword } from "./password.ts";
import { startSession } from "./sessions.ts";

/** The ways into the console; each gives the secret of a new session, or refuses. */
export interface SignIn {
  byCode(code: string, agent: string): Promise<string>;
  byPassword(password: string, agent: string): Promise<string>;
}

/** Guessing a password is slowed down for everybody at once: a link gets in all the same. */
const PASSWORD_RATE = { burst: 5, per_second: 1 / 30 };

const KIND = "login_link";

/** How long a link can be used. */
export const LOGIN_LINK_MS = 15 * 60 * 1000;

/** Opens the ways into the console. */
export function createSignIn(owner: OwnerContext): SignIn {
  const limit = createRateLimit(PASSWORD_RATE, owner.now);
  return {
    async byCode(code, agent) {
      if (!(await takeLoginCode(owner, code))) {
        throw createSignInError("The link was used before, is too old, or is not from this server.");
      }
      return startSession(owner, agent);
    },
    async byPassword(password, agent) {
      limit("password");
      if (await isPassword(owner, password)) return startSession(owner, agent);
      await recordEvent(owner, "sign_in_failed");
      throw createSignInError("The password is not right.");
    },
  };
}

function createSignInError(message: string): ApiError {
  return new ApiError("invalid_token", { message, next: "Get a new link with rungs login-link." });
}

/** Makes the address that signs its reader in once, at a server that is reached under `base_url`; only a digest is kept. */
export async function createLoginLink(owner: OwnerContext, base_url: string): Promise<string> {
  const { store, owner_id, now } = owner;
  const code = createToken();
  await store.putState(owner_id, {
    kind: KIND,
    id: digestToken(code),
    value: {},
    expires_at_ms: now() + LOGIN_LINK_MS,
  });
  return `${base_url}/console/sign-in?code=${code}`;
}

/** Uses a link up: true for the first who has its code in time, and for nobody else. */
async function takeLoginCode({ store, owner_id }: OwnerContext, code: string): Promise<boolean> {
  return (await store.takeState(owner_id, KIND, digestToken(code))) !== undefined;
}
