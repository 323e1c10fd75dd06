/** What a request did, in words: the predicate of a sentence whose subject is the client. */

/** Verbs for operations; any other operation is shown by name. */
const DONE: Readonly<Record<string, string>> = {
  search: "searched",
  fetch: "read",
  read_record_field: "read a part of",
  read_thread: "read around",
  query_records: "listed",
  list_records: "listed",
  aggregate: "counted",
  schema: "asked what there is in",
  read_blob: "downloaded from",
  export: "exported",
};

/** How a request ended that was not answered. Only the first two are denials. */
const NOT_DONE: Readonly<Record<number, string>> = {
  401: "was refused:",
  403: "was refused:",
  404: "did not find anything by",
  409: "was asked to choose a connection for",
  410: "came too late for",
  429: "was asked to wait before",
};

/** Whether the request was denied. */
export function isDenied(status: number): boolean {
  return status === 401 || status === 403;
}

/** Describes a request by its operation and status. */
export function describeRequest(operation: string, status: number): string {
  if (status < 400) return DONE[operation] ?? operation;
  return `${NOT_DONE[status] ?? "made a mistake in"} ${operation}`;
}
