import {
  BUDGET_HEADER,
  type BudgetLeft,
  type InputOf,
  type Operations,
  type OutputOf,
  operations,
  parseBudgetLeft,
  SHORTENS_HEADER,
} from "@rungs/contract";
import { requireAnswer } from "./answer.ts";
import { type AnswerLine, readJsonLines } from "./json-lines.ts";
import { type BearerToken, createSender, type Fetch } from "./send.ts";
import { reach } from "./unreachable.ts";

/** Where a client calls, as whom, and over what. */
export interface ClientOptions {
  readonly base_url: string;
  readonly token?: BearerToken | undefined;
  /** The global `fetch`, or an app's own for in-process calls: same code, same authorization. */
  readonly fetch?: Fetch | undefined;
  /** Aborts the calls. */
  readonly signal?: AbortSignal | undefined;
}

/** The operations that answer with one JSON document and take no body. */
type JsonName = Exclude<keyof Operations, "export" | "watch" | "read_blob" | "ingest" | "delete_record">;

/** Calls a resource server by contract. Refusals are thrown as `ApiError`, a missing server as `ServerUnreachable`. */
export interface Client {
  /** Calls an operation and returns its answer, validated by the contract. */
  call<Name extends JsonName>(
    name: Name,
    input: InputOf<Operations[Name]>,
  ): Promise<OutputOf<Operations[Name]>>;
  /** Yields every granted record, whole, as it arrives; throws if the export broke off before its last line. */
  exportRecords(input: InputOf<Operations["export"]>): AsyncGenerator<AnswerLine<Operations["export"]>>;
  /** Yields a line at once, and one whenever granted data of a stream changes; ends with the connection. */
  watch(input: InputOf<Operations["watch"]>): AsyncGenerator<AnswerLine<Operations["watch"]>>;
  /** A blob's bytes as they arrive, or a range of them. */
  openBlob(input: InputOf<Operations["read_blob"]>): Promise<OpenBlob>;
  /** What is left of the grant's budget after the last answer; undefined without a budget. */
  readonly budget_left: BudgetLeft | undefined;
  /** The same client, whose calls end when the signal aborts. */
  until(signal: AbortSignal): Client;
}

/** A blob that is being read. */
export interface OpenBlob {
  readonly mime_type: string;
  readonly size_bytes: number;
  /** Where the bytes begin in the blob, which as a whole has `total_bytes`. */
  readonly start: number;
  readonly total_bytes: number;
  /** The record that it was found through, as a `pdpp://record/` URI. */
  readonly record_uri: string | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The previous call, kept to recognize a repeat of it for less. */
interface AskedCall {
  readonly key: string;
  readonly limit: number;
  readonly request_id: string | null;
}

function describeCall(name: string, input: Readonly<Record<string, unknown>>): Omit<AskedCall, "request_id"> {
  const { limit, ...rest } = input;
  return { key: JSON.stringify([name, rest]), limit: typeof limit === "number" ? limit : Number.NaN };
}

/** Creates a client. */
export function createClient(options: ClientOptions): Client {
  const { base_url, token, fetch = globalThis.fetch, signal } = options;
  const send = createSender({ base_url: base_url.replace(/\/+$/, ""), token, fetch, signal });
  let budget_left: BudgetLeft | undefined;
  let last: AskedCall | undefined;

  return {
    get budget_left() {
      return budget_left;
    },

    async call(name, input) {
      const operation = operations[name];
      const asked = describeCall(name, input);
      const isShorter = last !== undefined && last.key === asked.key && asked.limit < last.limit;
      const shortens = isShorter && last?.request_id ? { [SHORTENS_HEADER]: last.request_id } : {};
      const answer = await send(operation, input, shortens);
      last = { ...asked, request_id: answer.headers.get("Request-Id") };
      budget_left = parseBudgetLeft(answer.headers.get(BUDGET_HEADER));
      return requireAnswer(operation, await reach(base_url, () => answer.text()));
    },

    async *exportRecords(input) {
      const answer = await send(operations.export, input);
      yield* readJsonLines(operations.export, answer, { last_line: "export_end" });
    },

    async *watch(input) {
      const answer = await send(operations.watch, input);
      yield* readJsonLines(operations.watch, answer);
    },

    async openBlob(input) {
      const answer = await send(operations.read_blob, input);
      const size_bytes = Number(answer.headers.get("Content-Length"));
      const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.headers.get("Content-Range") ?? "");
      return {
        mime_type: answer.headers.get("Content-Type") ?? "application/octet-stream",
        size_bytes,
        start: Number(range?.[1] ?? 0),
        total_bytes: Number(range?.[2] ?? size_bytes),
        record_uri: /<(pdpp:\/\/record\/[\w-]+)>/.exec(answer.headers.get("Link") ?? "")?.[1],
        bytes: answer.body ?? new ReadableStream(),
      };
    },

    until: (until) => createClient({ ...options, signal: until }),
  };
}
