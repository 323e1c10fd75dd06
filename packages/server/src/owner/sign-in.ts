import { ApiError } from "@rungs/contract";
import { createToken, digestToken } from "../access/bearer.ts";
import { createRateLimit } from "../access/rate-limit.ts";
import { recordEvent } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";
import { type PasskeyAnswer, type PasskeySite, requirePasskey } from "./passkeys.ts";
import { isPassword } from "./password.ts";
import { startSession } from "./sessions.ts";

/** The ways to sign in to the console; each returns the secret of a new session, or throws. */
export interface SignIn {
  byCode(code: string, agent: string): Promise<string>;
  byPassword(password: string, agent: string): Promise<string>;
  byPasskey(site: PasskeySite, response: string, agent: string): Promise<string>;
  /** Asks again for the password of a signed-in owner, before access is given; throws when it is wrong. */
  confirm(password: string): Promise<void>;
  /** The same with a passkey; `bound_to` is the session. */
  confirmByPasskey(site: PasskeySite, given: Pick<PasskeyAnswer, "response" | "bound_to">): Promise<void>;
}

/** One rate limit over all callers slows down password guessing; login links still work meanwhile. */
const PASSWORD_RATE = { burst: 5, per_second: 1 / 30 };
/** Signatures cannot be guessed; this bounds the work and the rows of the audit log. */
const PASSKEY_RATE = { burst: 30, per_second: 1 };

const KIND = "login_link";

/** The lifetime of a login link. */
export const LOGIN_LINK_MS = 15 * 60 * 1000;

/** Creates the ways to sign in. */
export function createSignIn(owner: OwnerContext): SignIn {
  const limit = createRateLimit(PASSWORD_RATE, owner.now);
  const limitPasskeys = createRateLimit(PASSKEY_RATE, owner.now);

  async function requirePassword(password: string): Promise<void> {
    limit("password");
    if (await isPassword(owner, password)) return;
    await recordEvent(owner, "sign_in_failed");
    throw createSignInError("The password is wrong.");
  }

  async function requireAnswer(site: PasskeySite, answer: PasskeyAnswer): Promise<void> {
    limitPasskeys(answer.purpose);
    try {
      await requirePasskey(owner, site, answer);
    } catch (error) {
      await recordEvent(owner, "passkey_refused");
      throw error;
    }
  }

  return {
    async byCode(code, agent) {
      if (!(await takeLoginCode(owner, code))) {
        throw createSignInError("The link was used before, is too old, or is not from this server.");
      }
      return startSession(owner, agent);
    },
    async byPassword(password, agent) {
      await requirePassword(password);
      return startSession(owner, agent);
    },
    async byPasskey(site, response, agent) {
      await requireAnswer(site, { purpose: "sign_in", bound_to: "", response });
      return startSession(owner, agent);
    },
    confirm: requirePassword,
    confirmByPasskey: (site, given) => requireAnswer(site, { purpose: "confirm", ...given }),
  };
}

function createSignInError(message: string): ApiError {
  return new ApiError("invalid_token", { message, next: "Get a new link with rungs login-link." });
}

/** Creates a one-time sign-in URL for the server at `base_url`; stores only the digest of its code. */
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

/** Consumes a login code: true only for the first caller within its lifetime. */
async function takeLoginCode({ store, owner_id }: OwnerContext, code: string): Promise<boolean> {
  return (await store.takeState(owner_id, KIND, digestToken(code))) !== undefined;
}
