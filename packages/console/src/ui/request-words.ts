/** What a request did, in words: the predicate of a sentence whose subject is the client. */

/** Verbs for operations, in the past tense and as an attempt; other operations are shown by name. */
const VERBS: Readonly<Record<string, readonly [done: string, to_do: string]>> = {
  search: ["searched", "search"],
  fetch: ["read", "read"],
  read_record_field: ["read a part of", "read a part of"],
  read_thread: ["read around", "read around"],
  query_records: ["listed", "list"],
  list_records: ["listed", "list"],
  aggregate: ["counted", "count"],
  schema: ["asked what there is in", "ask what there is in"],
  read_blob: ["downloaded from", "download from"],
  export: ["exported", "export"],
};

/** The outcomes of failed requests. Only the first two are denials. */
const NOT_DONE: Readonly<Record<number, string>> = {
  401: "was not allowed to",
  403: "was not allowed to",
  404: "found nothing when it tried to",
  409: "was asked to choose a connection to",
  410: "came too late to",
  429: "was asked to wait before it could",
};

/** Whether the request was denied. */
export function isDenied(status: number): boolean {
  return status === 401 || status === 403;
}

/** Describes a request by its operation and status. */
export function describeRequest(operation: string, status: number): string {
  const [done, to_do] = VERBS[operation] ?? [operation, `call ${operation} on`];
  if (status < 400) return done;
  return `${NOT_DONE[status] ?? "made a mistake when it tried to"} ${to_do}`;
}
