import { ApiError } from "../errors/errors.ts";

/** A connection to choose from. */
export interface ConnectionChoice {
  readonly connection_id: string;
  readonly display_name?: string | undefined;
}

/** The error for a request that several connections could answer (R04). */
export function ambiguousConnection(choices: readonly ConnectionChoice[], param = "connection_id"): ApiError {
  const available_connections = choices.map(({ connection_id, display_name }) => ({
    connection_id,
    ...(display_name === undefined ? {} : { display_name }),
  }));
  const ids = choices.map(({ connection_id }) => connection_id).join(", ");
  return new ApiError("ambiguous_connection", {
    param,
    message: `Several connections could answer this: ${ids}.`,
    available_connections,
    retry_with: param,
  });
}
