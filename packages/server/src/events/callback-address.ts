/** The addresses that messages may go to: this machine's, and https addresses that the owner approved. */
import { ApiError } from "@rungs/contract";
import { recordEvent } from "../owner/audit-events.ts";
import type { OwnerContext } from "../owner/owner-context.ts";

const KIND = "event-address";
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a host name is this machine's. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

type Place = Pick<OwnerContext, "store" | "owner_id">;

/**
 * Throws unless messages may go to an address. Behind a proxy, programs elsewhere may be clients: then this machine's addresses
 * need the owner's approval too.
 */
export async function requireCallback(place: Place, text: string, is_local: boolean): Promise<string> {
  const url = requireAddress(text, "callback_url");
  if (is_local && isLoopbackHost(url.hostname)) return url.href;
  const { store, owner_id } = place;
  if (await store.getState(owner_id, KIND, url.origin)) return url.href;
  throw new ApiError("callback_not_approved", {
    param: "callback_url",
    next: `Ask the owner to run: rungs events allow ${url.origin}`,
  });
}

/** Approves an address for messages, for every client. */
export async function allowEventAddress(owner: OwnerContext, text: string): Promise<string> {
  const { origin } = requireAddress(text, "address");
  const value = { allowed_at: new Date(owner.now()).toISOString() };
  await owner.store.putState(owner.owner_id, { kind: KIND, id: origin, value });
  await recordEvent(owner, "event_address_allowed");
  return origin;
}

/** Withdraws the approval: messages that wait for the address are not sent. */
export async function forbidEventAddress(owner: OwnerContext, text: string): Promise<string> {
  const { origin } = requireAddress(text, "address");
  if (!(await owner.store.takeState(owner.owner_id, KIND, origin)))
    throw new ApiError("not_found", {
      message: "This address is not approved.",
      next: "rungs events addresses lists those that are.",
    });
  await recordEvent(owner, "event_address_forbidden");
  return origin;
}

/** The approved addresses. */
export async function listEventAddresses({ store, owner_id }: Place): Promise<string[]> {
  return (await store.listState(owner_id, KIND)).map(({ id }) => id);
}

function requireAddress(text: string, param: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname));
  if (url && isSafe && url.username === "" && url.password === "" && url.hash === "") return url;
  throw new ApiError("invalid_request", {
    param,
    message: `${param}: must be an https address without credentials, or an http address on this machine.`,
  });
}
