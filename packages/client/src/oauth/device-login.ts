/** A login of a machine without a browser (RFC 8628): the owner types a code somewhere else. */
import type { Fetch } from "../send.ts";
import { discover, register, requireAddress } from "./discover.ts";
import { type Login, requestToken } from "./login.ts";
import { LoginRefused, requireMember, submitForm } from "./request-document.ts";

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const INTERVAL_MS = 5_000;

/** What a login with a code needs. */
export interface DeviceLoginOptions {
  readonly url: string;
  readonly client_name: string;
  readonly fetch?: Fetch | undefined;
  /** Waits between two polls. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
}

/** A pending login. */
export interface DeviceLogin {
  readonly user_code: string;
  /** Where the owner types the code. */
  readonly verification_uri: string;
  /** Waits until the owner has answered. */
  finish(): Promise<Login>;
}

/** Begins a login: finds the authorization server, registers, and gets a code to show. */
export async function startDeviceLogin(options: DeviceLoginOptions): Promise<DeviceLogin> {
  const { url, client_name, fetch = globalThis.fetch, sleep = wait } = options;
  const server = await discover(url, fetch);
  const { device_authorization_endpoint: endpoint, resource } = server;
  if (endpoint === undefined) throw new LoginRefused("unsupported", "it offers no login with a code");
  const metadata = { client_name, response_types: [], grant_types: [DEVICE_GRANT, "refresh_token"] };
  const client_id = await register(server, metadata, fetch);
  const device = await submitForm(fetch, endpoint, { client_id, resource });
  const form = { grant_type: DEVICE_GRANT, device_code: requireMember(device, "device_code") };
  const isComplete = device.verification_uri_complete !== undefined;
  return {
    user_code: requireMember(device, "user_code"),
    verification_uri: requireAddress(device, isComplete ? "verification_uri_complete" : "verification_uri"),
    finish: () => poll(() => requestToken({ url, client_id, server, fetch }, form), sleep),
  };
}

async function poll(request: () => Promise<Login>, sleep: (ms: number) => Promise<void>): Promise<Login> {
  for (let interval_ms = INTERVAL_MS; ; ) {
    await sleep(interval_ms);
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof LoginRefused)) throw error;
      if (error.error === "slow_down") interval_ms += INTERVAL_MS;
      else if (error.error !== "authorization_pending") throw error;
    }
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
