/** The kind under which the state of connectors is stored. */
export const COLLECTION_STATE = "collection_state";

/** The id of a connection's state, or of its state for one grant: ids of connections have no slash. */
export function formatStateId(connection_id: string, grant_id: string | undefined): string {
  return `${connection_id}/${grant_id ?? ""}`;
}
