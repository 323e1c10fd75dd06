/** Fetches documents whose URLs clients choose, from public addresses only: a client must not reach into the local network (SSRF). */
import { lookup as lookupAddress } from "node:dns";
import { request as sendRequest } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";

/** Special-purpose addresses, which are not the public internet (RFC 6890 and its registries). */
const SPECIAL = new BlockList();
for (const [net, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const) {
  SPECIAL.addSubnet(net, prefix, "ipv4");
}
for (const [net, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  SPECIAL.addSubnet(net, prefix, "ipv6");
}
/** All other IPv6 is local, multicast, translated IPv4, or unassigned. */
const UNICAST = new BlockList();
UNICAST.addSubnet("2000::", 3, "ipv6");

/** Whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !SPECIAL.check(address, "ipv4");
    case 6:
      return UNICAST.check(address, "ipv6") && !SPECIAL.check(address, "ipv6");
    default:
      return false;
  }
}

/** Whether an IP address is this machine's. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) === 4 ? address.startsWith("127.") : address === "::1";
}

/** Fetches one https document from a public address. Does not follow redirects; the signal limits the time. */
export function fetchPublic(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input);
  const { protocol, hostname } = url;
  if (protocol !== "https:" || isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) {
    return Promise.reject(new Error("only https and host names are fetched"));
  }
  const headers = Object.fromEntries(new Headers(init.headers));
  const signal = init.signal ?? AbortSignal.timeout(5_000);
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      url,
      { headers, signal, lookup: createLookup(isPublicAddress), agent: false },
      (message) => {
        const { statusCode = 502, headers: answered } = message;
        const body = Readable.toWeb(message) as ReadableStream<Uint8Array>;
        const kept = Object.entries(answered).map(([name, value]): [string, string] => [name, String(value)]);
        resolve(new Response(hasBody(statusCode) ? body : null, { status: statusCode, headers: kept }));
      },
    );
    request.on("error", reject);
    request.end();
  });
}

/** Checks the same address that the request connects to: a second lookup could resolve elsewhere (DNS rebinding). */
export function createLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookupAddress(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isAllowed(address))) {
        return callback(new Error("the name resolves to an address that is not allowed"), []);
      }
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

/** The `Response` constructor throws on a body with these statuses. */
function hasBody(status: number): boolean {
  return ![101, 204, 205, 304].includes(status);
}
