/** The owner's passkeys (WebAuthn): pages of other sites cannot use them, and the server stores no secret of them. */
import { ApiError } from "@rungs/contract";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { recordEvent } from "./audit-events.ts";
import { asProgram, ensureOwner, type OwnerContext } from "./owner-context.ts";
import {
  type ChallengePurpose,
  claimChallenge,
  createChallenge,
  openChallengeCheck,
} from "./passkey-challenges.ts";

const KIND = "passkey";
/** The owner of each passkey: a sign-in names only the passkey. Those of older versions are the first owner's. */
const OWNER_KIND = "passkey_owner";
/** Stored apart from the passkey, so that recording a use never restores one that was removed meanwhile. */
const USE_KIND = "passkey_use";
const LABEL_MAX_CHARS = 100;

/** The address of the console, as browsers see it. */
export interface PasskeySite {
  readonly origin: string;
  /** The host name that passkeys are bound to; WebAuthn takes no IP addresses. */
  readonly rp_id: string;
}

/** The stored form of a passkey; only this file writes it. */
interface StoredPasskey {
  readonly label: string;
  readonly rp_id: string;
  /** The public key, as COSE in base64url. */
  readonly public_key: string;
  readonly created_at: string;
}

/** The last use of a passkey, and how often it was used, if its authenticator counts: one that falls behind was copied. */
interface PasskeyUse {
  readonly counter: number;
  readonly used_at?: string | undefined;
}

/** A passkey, without its key. */
export interface Passkey extends Omit<StoredPasskey, "public_key"> {
  /** The credential's id: a name, not a secret. */
  readonly passkey_id: string;
  readonly used_at?: string | undefined;
}

/** A browser's answer, as JSON, and what it is for. */
export interface PasskeyAnswer extends ChallengePurpose {
  readonly response: string;
}

/** ES256, EdDSA and RS256, which all authenticators know. */
const ALGORITHMS = [-7, -8, -257];

/** The library takes a fifth of a second to load: only callers that use passkeys wait for it. */
const loadLibrary = () => import("@simplewebauthn/server");

/** The site at an address; undefined when passkeys do not work there. */
export function findPasskeySite(base_url: string): PasskeySite | undefined {
  const { origin, hostname, protocol } = new URL(base_url);
  const isName = !/^[\d.]+$|^\[/.test(hostname);
  const isTrusted = protocol === "https:" || hostname === "localhost" || hostname.endsWith(".localhost");
  return isName && isTrusted ? { origin, rp_id: hostname } : undefined;
}

/** Lists the owner's passkeys, the newest first. */
export async function listPasskeys({ store, owner_id }: OwnerContext): Promise<Passkey[]> {
  const uses = new Map((await store.listState(owner_id, USE_KIND)).map(({ id, value }) => [id, value]));
  const passkeys = (await store.listState(owner_id, KIND)).map(({ id: passkey_id, value }) => {
    const { label, rp_id, created_at } = value as StoredPasskey;
    const { used_at } = (uses.get(passkey_id) ?? {}) as Partial<PasskeyUse>;
    return { passkey_id, label, rp_id, created_at, used_at };
  });
  return passkeys.sort((a, b) => b.created_at.localeCompare(a.created_at));
}

/** Removes a passkey if it exists. */
export async function removePasskey(owner: OwnerContext, passkey_id: string): Promise<void> {
  const had = await owner.store.takeState(owner.owner_id, KIND, passkey_id);
  await owner.store.deleteState(owner.owner_id, USE_KIND, passkey_id);
  if (had) await forgetPasskeyOwner(owner, passkey_id);
  if (had) await recordEvent(owner, "passkey_removed");
}

/** The options for `navigator.credentials.create`; `bound_to` is the session that may use them. */
export async function offerRegistration(
  owner: OwnerContext,
  { rp_id }: PasskeySite,
  bound_to: string,
): Promise<object> {
  const { generateRegistrationOptions } = await loadLibrary();
  const known = await owner.store.listState(owner.owner_id, KIND);
  return generateRegistrationOptions({
    rpName: "Rungs",
    rpID: rp_id,
    userName: owner.owner_id,
    challenge: await createChallenge(owner, { purpose: "register", bound_to }),
    attestationType: "none",
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known.map(({ id }) => ({ id })),
    // The authenticator finds it by itself, so that the sign-in page need not list any.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** Stores the passkey that a browser made from the options of `offerRegistration`. */
export async function registerPasskey(
  owner: OwnerContext,
  { rp_id, origin }: PasskeySite,
  {
    label,
    bound_to,
    ...given
  }: { readonly response: string; readonly label: string; readonly bound_to: string },
): Promise<void> {
  const { store, owner_id, now } = owner;
  const { verifyRegistrationResponse } = await loadLibrary();
  const response = parseAnswer(given.response) as unknown as RegistrationResponseJSON;
  const result = await verifyRegistrationResponse({
    response,
    expectedChallenge: await openChallengeCheck(owner, { purpose: "register", bound_to }),
    expectedOrigin: origin,
    expectedRPID: rp_id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined);
  const credential = result?.registrationInfo?.credential;
  if (!credential || !(await claimChallenge(owner, readChallenge(response)))) throw refuse();
  const program = asProgram(owner).owner_id;
  const known = await store.getState(program, OWNER_KIND, credential.id);
  if (known || (await store.getState(owner_id, KIND, credential.id))) throw refuse();
  await store.putState(program, { kind: OWNER_KIND, id: credential.id, value: owner_id });
  const value: StoredPasskey = {
    label: label.trim().slice(0, LABEL_MAX_CHARS) || "Passkey",
    rp_id,
    public_key: Buffer.from(credential.publicKey).toString("base64url"),
    created_at: new Date(now()).toISOString(),
  };
  await recordUse(owner, credential.id, { counter: credential.counter });
  await store.putState(owner_id, { kind: KIND, id: credential.id, value });
  await recordEvent(owner, "passkey_added");
}

/** The options for `navigator.credentials.get`. Those for a sign-in name no passkey: everybody can read them. */
export async function offerAssertion(
  owner: OwnerContext,
  { rp_id }: PasskeySite,
  purpose: ChallengePurpose,
): Promise<object> {
  const { generateAuthenticationOptions } = await loadLibrary();
  const isSignIn = purpose.purpose === "sign_in";
  const known = isSignIn ? [] : await owner.store.listState(owner.owner_id, KIND);
  return generateAuthenticationOptions({
    rpID: rp_id,
    challenge: await createChallenge(isSignIn ? asProgram(owner) : owner, purpose),
    userVerification: "required",
    allowCredentials: known
      .filter(({ value }) => (value as StoredPasskey).rp_id === rp_id)
      .map(({ id }) => ({ id })),
  });
}

/** Whose passkey an answer names; only `requirePasskey` verifies the proof. */
export async function findPasskeyOwner(context: OwnerContext, answer: string): Promise<OwnerContext> {
  const { id } = parseAnswer(answer) as { readonly id?: unknown };
  const state = await context.store.getState(asProgram(context).owner_id, OWNER_KIND, String(id));
  const owner_id = typeof state?.value === "string" ? state.value : await ensureOwner(context.store);
  return { ...context, owner_id };
}

/** Call it when a passkey or its owner is removed. */
export function forgetPasskeyOwner(owner: OwnerContext, passkey_id: string): Promise<void> {
  return owner.store.deleteState(asProgram(owner).owner_id, OWNER_KIND, passkey_id);
}

/** Throws unless an answer proves one of the owner's passkeys, on this site, for its purpose, for the first time. */
export async function requirePasskey(
  owner: OwnerContext,
  { rp_id, origin }: PasskeySite,
  given: PasskeyAnswer,
): Promise<void> {
  const { store, owner_id } = owner;
  const { verifyAuthenticationResponse } = await loadLibrary();
  const response = parseAnswer(given.response) as unknown as AuthenticationResponseJSON;
  const state = await store.getState(owner_id, KIND, String(response.id));
  const stored = state?.value as StoredPasskey | undefined;
  const use = state && (await store.getState(owner_id, USE_KIND, state.id));
  if (!state || !use || stored?.rp_id !== rp_id) throw refuse();
  const result = await verifyAuthenticationResponse({
    response,
    expectedChallenge: await openChallengeCheck(
      given.purpose === "sign_in" ? asProgram(owner) : owner,
      given,
    ),
    expectedOrigin: origin,
    expectedRPID: rp_id,
    requireUserVerification: true,
    credential: {
      id: state.id,
      publicKey: new Uint8Array(Buffer.from(stored.public_key, "base64url")),
      counter: (use.value as PasskeyUse).counter,
    },
  }).catch(() => undefined);
  if (!result?.verified || !(await claimChallenge(owner, readChallenge(response)))) throw refuse();
  const { newCounter: counter } = result.authenticationInfo;
  await recordUse(owner, state.id, { counter, used_at: new Date(owner.now()).toISOString() });
}

function recordUse({ store, owner_id }: OwnerContext, id: string, value: PasskeyUse): Promise<void> {
  return store.putState(owner_id, { kind: USE_KIND, id, value });
}

function parseAnswer(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Handled like any other malformed answer.
  }
  throw refuse();
}

/** The challenge of an answer that was verified. */
function readChallenge({ response }: AuthenticationResponseJSON | RegistrationResponseJSON): string {
  return JSON.parse(Buffer.from(response.clientDataJSON, "base64url").toString()).challenge;
}

/** Hides the library's reason, which would help only an attacker. */
function refuse(): ApiError {
  return new ApiError("invalid_token", {
    message: "The passkey was not accepted.",
    next: "Open the page again and try once more, or sign in with a link from rungs login-link.",
  });
}
