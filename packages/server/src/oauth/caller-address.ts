import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";

/**
 * The address that a caller's limits count by. A proxy appends the address that it saw to `X-Forwarded-For`; without a proxy
 * anybody can write that header, and it is ignored.
 */
export function findCallerAddress({ socket, headers }: IncomingMessage, behind_proxy: boolean): string {
  const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",").at(-1)?.trim();
  const address = behind_proxy && forwarded ? forwarded : (socket.remoteAddress ?? "");
  return toNetwork(address.replace(/^::ffff:(?=\d+\.)/i, ""));
}

/** A machine has a whole /64 of IPv6 addresses to choose from. */
function toNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  const rest = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - groups.length - rest.length)).fill("0");
  return [...groups, ...zeros, ...rest].slice(0, 4).join(":");
}
