import { ApiError } from "@rungs/contract";
import { createRateLimit } from "../access/shares.ts";
import { createToken, digestToken } from "../access/tokens.ts";
import { createTurns, type TakeTurn } from "../access/turns.ts";
import { recordEvent } from "./audit-events.ts";
import { asProgram, ensureOwner, type OwnerContext } from "./owner-context.ts";
import { findPasskeyOwner, type PasskeyAnswer, type PasskeySite, requirePasskey } from "./passkeys.ts";
import { isPassword } from "./password.ts";
import { startSession } from "./sessions.ts";

/** A name and a password from a form; without a name, the first owner's. */
export interface GivenPassword {
  readonly name?: string | undefined;
  readonly password: string;
}

/** The ways to sign in to the console; each returns the secret of a new session of the owner that it proves, or throws. */
export interface SignIn {
  byCode(code: string, agent: string): Promise<string>;
  byPassword(given: GivenPassword, agent: string): Promise<string>;
  byPasskey(site: PasskeySite, response: string, agent: string): Promise<string>;
  /** Confirms the password of a signed-in owner before giving access; throws when it is wrong. */
  confirm(owner: OwnerContext, password: string): Promise<void>;
  /** The same with a passkey; `bound_to` is the session. */
  confirmByPasskey(
    owner: OwnerContext,
    site: PasskeySite,
    given: Pick<PasskeyAnswer, "response" | "bound_to">,
  ): Promise<void>;
}

/** One rate limit over all callers and servers slows down guessing of one owner's password; login links still work meanwhile. */
const PASSWORD_RATE = { burst: 5, per_second: 1 / 30 };
/** Names share 4,096 buckets, so that invented ones cannot fill the database. */
const NAME_CHARS = 3;
/** The same for guessing many owners' passwords. */
const PASSWORDS_RATE = { burst: 30, per_second: 1 };
/** Per server: each check takes 128 MiB of memory. */
const CHECKS = { at_once: 2, waiting: 8 };
/** Signatures cannot be guessed: only answers that are refused count, which bounds the rows of the audit log and keeps nobody with a passkey out. */
const PASSKEY_RATE = { burst: 30, per_second: 1 };

const KIND = "login_link";

/** The lifetime of a login link. */
export const LOGIN_LINK_MS = 15 * 60 * 1000;

/** Creates the ways to sign in to a server, for all its owners. */
export function createSignIn(context: Pick<OwnerContext, "store" | "now">): SignIn {
  const { store, now } = context;
  const program = asProgram({ store, now, owner_id: "" });
  const limitName = createRateLimit("password", PASSWORD_RATE, context);
  const limitAll = createRateLimit("passwords", PASSWORDS_RATE, context);
  const limitPasskeys = createRateLimit("passkey", PASSKEY_RATE, context);
  const limitConfirm = createRateLimit("confirm", PASSWORD_RATE, context);
  const [takeCheck, takeConfirmCheck] = [createTurns(CHECKS), createTurns(CHECKS)];

  /** A name that does not exist gets the same limits, messages, work and rows. */
  async function signInByPassword(name: string, password: string): Promise<OwnerContext> {
    await limitName(digestToken(name).slice(0, NAME_CHARS));
    await limitAll("");
    return requirePassword(name, password, takeCheck);
  }

  async function requirePassword(name: string, password: string, takeTurn: TakeTurn): Promise<OwnerContext> {
    const isKnown = name !== program.owner_id && (await store.listOwners()).includes(name);
    const owner = isKnown ? { ...program, owner_id: name } : program;
    const turn = await takeTurn("", new AbortController().signal);
    try {
      if (await isPassword(owner, password)) return owner;
    } finally {
      turn.end();
    }
    await recordEvent(owner, "sign_in_failed");
    throw createSignInError("The password is wrong.");
  }

  async function requireAnswer(owner: OwnerContext, site: PasskeySite, answer: PasskeyAnswer): Promise<void> {
    try {
      await requirePasskey(owner, site, answer);
    } catch (error) {
      await limitPasskeys(answer.purpose === "sign_in" ? "sign_in" : `confirm ${owner.owner_id}`);
      await recordEvent(owner, "passkey_refused");
      throw error;
    }
  }

  return {
    async byCode(code, agent) {
      const taken = await store.takeState(program.owner_id, KIND, digestToken(code));
      if (!taken)
        throw createSignInError("The link was used before, is too old, or is not from this server.");
      return startSession({ ...program, owner_id: taken.value as string }, agent);
    },
    async byPassword({ name, password }, agent) {
      const owner = await signInByPassword(name ?? (await ensureOwner(store)), password).catch(
        (error: unknown) => {
          throw name === undefined ? error : sayNeither(error);
        },
      );
      return startSession(owner, agent);
    },
    async byPasskey(site, response, agent) {
      const owner = await findPasskeyOwner(program, response);
      await requireAnswer(owner, site, { purpose: "sign_in", bound_to: "", response });
      return startSession(owner, agent);
    },
    async confirm({ owner_id }, password) {
      // Guessing strangers must not lock out a signed-in owner.
      await limitConfirm("", owner_id);
      await requirePassword(owner_id, password, takeConfirmCheck);
    },
    async confirmByPasskey(owner, site, given) {
      await requireAnswer(owner, site, { purpose: "confirm", ...given });
    },
  };
}

function sayNeither(error: unknown): unknown {
  const isWrong = error instanceof ApiError && error.code === "invalid_token";
  return isWrong ? createSignInError("The name or the password is wrong.") : error;
}

function createSignInError(message: string): ApiError {
  return new ApiError("invalid_token", { message, next: "Get a new link with rungs login-link." });
}

/** Creates a one-time sign-in URL for the server at `base_url`; stores only the digest of its code. */
export async function createLoginLink(owner: OwnerContext, base_url: string): Promise<string> {
  const { store, owner_id, now } = owner;
  const code = createToken();
  await store.putState(asProgram(owner).owner_id, {
    kind: KIND,
    id: digestToken(code),
    value: owner_id,
    expires_at_ms: now() + LOGIN_LINK_MS,
  });
  return `${base_url}/console/sign-in?code=${code}`;
}
