/** Write-only tokens name their connection as their client: a connection has no colon in its id. */
const PREFIX = "writer:";

/** The client of the write-only tokens of a connection. */
export function formatWriter(connection_id: string): string {
  return `${PREFIX}${connection_id}`;
}

/** The connection that a write-only token may write to. */
export function parseWriter(client_id: string): string | undefined {
  return client_id.startsWith(PREFIX) ? client_id.slice(PREFIX.length) : undefined;
}
