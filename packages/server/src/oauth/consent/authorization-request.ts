/** A client's open authorization request: from a browser that it redirected here, or from a device whose code the owner typed. */
import { type ClientDisplay, parseClientDisplay } from "@rungs/contract";
import type { Client, InteractionResults, Provider } from "oidc-provider";
import { isLoopback } from "../../access/audience.ts";
import { digestToken } from "../../access/tokens.ts";
import { asProgram, type OwnerContext } from "../../owner/owner-context.ts";
import { formatClientName } from "../provider/client-rules.ts";
import { formatStateKind, formatUnusedKind } from "../provider/models.ts";
import { DEVICE_PAGE } from "../provider/paths.ts";
import type { ConsentClient } from "./consents-port.ts";

/** An authorization request that the owner has not answered yet. */
export interface AuthorizationRequest {
  readonly uid: string;
  readonly client: ConsentClient;
  /** The code that the device displays (RFC 8628). */
  readonly user_code?: string | undefined;
  /** As the client sent them, unparsed. */
  readonly authorization_details: unknown;
  readonly resources: readonly string[];
  /** Claims the request for one answer; false when another caller claimed it first. */
  take(): Promise<boolean>;
  /** Gives the client its grant; returns the URL to redirect the browser to. */
  grant(grant_id: string, details: readonly object[]): Promise<string>;
  /** Tells the client that the owner refused; returns the URL to redirect the browser to. */
  deny(): Promise<string>;
}

const DEVICE_UID = /^device-([A-Z]+)$/;
const DENIED = { error: "access_denied", error_description: "the owner said no" };

/** Whether a request comes from a device, which has no browser. */
export function isDeviceUid(uid: string): boolean {
  return DEVICE_UID.test(uid);
}

/** The uid of the request from the device that shows this code; undefined when there is none. */
export async function findDeviceUid(provider: Provider, typed: string): Promise<string | undefined> {
  const user_code = typed.toUpperCase().replace(/[^A-Z]/g, "");
  return (await findDevice(provider, user_code)) && `device-${user_code}`;
}

/** Finds an open request. */
export async function findAuthorizationRequest(
  owner: OwnerContext,
  provider: Provider,
  uid: string,
): Promise<AuthorizationRequest | undefined> {
  const [, user_code] = DEVICE_UID.exec(uid) ?? [];
  return user_code === undefined
    ? findBrowserRequest(owner, provider, uid)
    : findDeviceRequest(owner, provider, uid, user_code);
}

async function findBrowserRequest(
  owner: OwnerContext,
  provider: Provider,
  uid: string,
): Promise<AuthorizationRequest | undefined> {
  const { store, owner_id } = owner;
  const { owner_id: program } = asProgram(owner);
  const interaction = await provider.Interaction.find(uid);
  if (!interaction || interaction.result) return undefined;
  const { params } = interaction;
  const client = await provider.Client.find(String(params.client_id));
  if (!client) return undefined;
  const answer = async (result: InteractionResults) => {
    interaction.result = result;
    await interaction.persist();
    return interaction.returnTo;
  };
  return {
    uid,
    client: describeClient(client, String(params.redirect_uri), readDisplay(params)),
    ...readParams(params),
    take: async () =>
      (await store.takeState(program, formatUnusedKind("Interaction"), digestToken(uid))) !== undefined,
    grant: (grantId) => answer({ login: { accountId: owner_id, remember: false }, consent: { grantId } }),
    deny: () => answer(DENIED),
  };
}

async function findDevice(provider: Provider, user_code: string) {
  const code = await provider.DeviceCode.findByUserCode(user_code);
  return code && code.accountId === undefined && code.error === undefined ? code : undefined;
}

async function findDeviceRequest(
  owner: OwnerContext,
  provider: Provider,
  uid: string,
  user_code: string,
): Promise<AuthorizationRequest | undefined> {
  const { store, owner_id } = owner;
  const { owner_id: program } = asProgram(owner);
  const code = await findDevice(provider, user_code);
  const client = code && (await provider.Client.find(code.clientId ?? ""));
  if (!client) return undefined;
  const { resources, ...params } = readParams(code.params ?? {});
  return {
    uid,
    client: describeClient(client, undefined, readDisplay(code.params ?? {})),
    user_code: `${user_code.slice(0, 4)}-${user_code.slice(4)}`,
    ...params,
    resources,
    take: async () =>
      (await store.takeState(program, formatStateKind("UserCode"), digestToken(user_code))) !== undefined,
    async grant(grantId, rar) {
      const [resource] = resources;
      Object.assign(code, { accountId: owner_id, grantId, scope: code.params?.scope, resource, rar });
      await code.save();
      return `${DEVICE_PAGE}?result=granted`;
    },
    async deny() {
      Object.assign(code, { error: DENIED.error, errorDescription: DENIED.error_description });
      await code.save();
      return `${DEVICE_PAGE}?result=denied`;
    },
  };
}

function readParams(params: Readonly<Record<string, unknown>>) {
  const { authorization_details: details, resource } = params;
  return {
    authorization_details: typeof details === "string" ? JSON.parse(details) : undefined,
    resources: [resource].flat().map(String),
  };
}

function readDisplay({ client_display }: Readonly<Record<string, unknown>>): ClientDisplay | undefined {
  const parsed = typeof client_display === "string" ? parseClientDisplay(client_display) : undefined;
  return parsed && !("problem" in parsed) ? parsed : undefined;
}

/** What was registered or published comes before what the request says; without either, the id is the name. */
function nameClient({ clientName, clientId }: Client, display: ClientDisplay | undefined) {
  if (clientName !== undefined) return { name: formatClientName(clientName), named_by: "client" as const };
  if (display) return { name: formatClientName(display.name), named_by: "request" as const };
  return { name: formatClientName(clientId), named_by: "nobody" as const };
}

/**
 * A client that publishes its metadata document at an https URL has proven that URL, unless the redirect goes to a
 * loopback address or a custom scheme: any local program can receive it there.
 */
function describeClient(
  client: Client,
  redirect_uri: string | undefined,
  display: ClientDisplay | undefined,
): ConsentClient {
  const redirect = redirect_uri === undefined ? undefined : URL.parse(redirect_uri);
  const is_published = client.clientIdMetadataDocument === true;
  return {
    client_id: client.clientId,
    ...nameClient(client, display),
    policies: [display?.policy_uri, display?.tos_uri].filter((uri) => uri !== undefined),
    is_verified: is_published && redirect?.protocol === "https:" && !isLoopback(redirect.hostname),
    redirect_host: redirect ? formatRedirectHost(redirect) : "",
    is_loopback: redirect !== undefined && redirect !== null && isLoopback(redirect.hostname),
  };
}

/** With a custom scheme, the host means nothing and a client can claim any: only the scheme says who receives the redirect. */
function formatRedirectHost({ protocol, host }: URL): string {
  return /^https?:$/.test(protocol) ? host : protocol;
}
