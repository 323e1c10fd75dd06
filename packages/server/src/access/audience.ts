/** The audience of a token (RFC 8707): a server refuses tokens that were issued for another one. */

/** Host names of the local machine. */
export const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** The path of the MCP endpoint, which shares the server's audience. */
export const MCP_RESOURCE = "/mcp";

/** Whether a resource indicator identifies the server at `base_url`: the server itself or its MCP endpoint. */
export function isOwnResource(resource: string, base_url: string): boolean {
  const requested = URL.parse(resource);
  const own = URL.parse(base_url);
  if (!requested || !own || requested.username !== "" || requested.password !== "") return false;
  return (
    requested.protocol === own.protocol &&
    requested.port === own.port &&
    isSameHost(requested.hostname, own.hostname) &&
    requested.search === "" &&
    requested.hash === "" &&
    ["/", MCP_RESOURCE].includes(requested.pathname)
  );
}

/** Whether a host name is a loopback name. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.includes(hostname);
}

function isSameHost(a: string, b: string): boolean {
  return a === b || (isLoopback(a) && isLoopback(b));
}
