/** An open question of a client: of a browser that it sent here, or of a device whose code the owner has typed. */
import { foldToLine, sliceChars } from "@rungs/evidence";
import type { Client, InteractionResults, Provider } from "oidc-provider";
import { isLoopback } from "../../access/audience.ts";
import { digestToken } from "../../access/bearer.ts";
import type { OwnerContext } from "../../owner/owner-context.ts";
import { formatStateKind, formatUnusedKind } from "../provider/models.ts";
import { DEVICE_PAGE } from "../provider/paths.ts";
import type { ConsentClient } from "./consents-port.ts";

/** A question that nobody has answered. */
export interface AuthorizationRequest {
  readonly uid: string;
  readonly client: ConsentClient;
  /** The code that the device shows. */
  readonly user_code?: string | undefined;
  /** What was asked, as it came. */
  readonly authorization_details: unknown;
  readonly resources: readonly string[];
  /** Takes the question for whoever answers it; false when somebody else did. */
  take(): Promise<boolean>;
  /** Gives the client its grant, and the address where the browser goes on. */
  grant(grant_id: string, details: readonly object[]): Promise<string>;
  /** Tells the client that it was refused, and gives the address where the browser goes on. */
  deny(): Promise<string>;
}

const DEVICE_UID = /^device-([A-Z]+)$/;
const NAME_MAX_CHARS = 80;
const DENIED = { error: "access_denied", error_description: "the owner said no" };

/** Whether a question is a device's, which has no browser. */
export function isDeviceUid(uid: string): boolean {
  return DEVICE_UID.test(uid);
}

/** The uid of the question that a device with this code asks; undefined when there is none. */
export async function findDeviceUid(provider: Provider, typed: string): Promise<string | undefined> {
  const user_code = typed.toUpperCase().replace(/[^A-Z]/g, "");
  return (await findDevice(provider, user_code)) && `device-${user_code}`;
}

/** Finds an open question. */
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
  { store, owner_id }: OwnerContext,
  provider: Provider,
  uid: string,
): Promise<AuthorizationRequest | undefined> {
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
    client: describeClient(client, String(params.redirect_uri)),
    ...readParams(params),
    take: async () =>
      (await store.takeState(owner_id, formatUnusedKind("Interaction"), digestToken(uid))) !== undefined,
    grant: (grantId) => answer({ login: { accountId: owner_id, remember: false }, consent: { grantId } }),
    deny: () => answer(DENIED),
  };
}

async function findDevice(provider: Provider, user_code: string) {
  const code = await provider.DeviceCode.findByUserCode(user_code);
  return code && code.accountId === undefined && code.error === undefined ? code : undefined;
}

async function findDeviceRequest(
  { store, owner_id }: OwnerContext,
  provider: Provider,
  uid: string,
  user_code: string,
): Promise<AuthorizationRequest | undefined> {
  const code = await findDevice(provider, user_code);
  const client = code && (await provider.Client.find(code.clientId ?? ""));
  if (!client) return undefined;
  const { resources, ...params } = readParams(code.params ?? {});
  return {
    uid,
    client: describeClient(client, undefined),
    user_code: `${user_code.slice(0, 4)}-${user_code.slice(4)}`,
    ...params,
    resources,
    take: async () =>
      (await store.takeState(owner_id, formatStateKind("UserCode"), digestToken(user_code))) !== undefined,
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

/**
 * A client that publishes a document about itself at an https address has proven that address, unless the answer goes
 * to a program on this machine or to a scheme: any program can take it there.
 */
function describeClient(client: Client, redirect_uri: string | undefined): ConsentClient {
  const redirect = redirect_uri === undefined ? undefined : URL.parse(redirect_uri);
  const is_published = client.clientIdMetadataDocument === true;
  return {
    client_id: client.clientId,
    name: sliceChars(foldToLine(client.clientName ?? client.clientId), 0, NAME_MAX_CHARS),
    is_verified: is_published && redirect?.protocol === "https:" && !isLoopback(redirect.hostname),
    redirect_host: redirect ? formatRedirectHost(redirect) : "",
    is_loopback: redirect !== undefined && redirect !== null && isLoopback(redirect.hostname),
  };
}

/** Behind a scheme of its own a client may write any host, which nobody asks: the scheme alone says who hears the answer. */
function formatRedirectHost({ protocol, host }: URL): string {
  return /^https?:$/.test(protocol) ? host : protocol;
}
