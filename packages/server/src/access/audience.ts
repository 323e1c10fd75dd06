/** Which server a token is for (RFC 8707): a token for another one is refused, whoever brings it. */

/** The names by which a machine calls itself. */
export const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** The part of a server that hosts MCP; it shares the server's audience. */
export const MCP_RESOURCE = "/mcp";

/** Whether a resource indicator means the server at `base_url`: the server itself or its MCP endpoint. */
export function isOwnResource(resource: string, base_url: string): boolean {
  const asked = URL.parse(resource);
  const own = URL.parse(base_url);
  if (!asked || !own || asked.username !== "" || asked.password !== "") return false;
  return (
    asked.protocol === own.protocol &&
    asked.port === own.port &&
    isSameHost(asked.hostname, own.hostname) &&
    asked.search === "" &&
    asked.hash === "" &&
    ["/", MCP_RESOURCE].includes(asked.pathname)
  );
}

/** Whether a host name is one by which a machine calls itself. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.includes(hostname);
}

function isSameHost(a: string, b: string): boolean {
  return a === b || (isLoopback(a) && isLoopback(b));
}
