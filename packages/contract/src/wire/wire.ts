/**
 * Inputs on the wire: path segments, query parameters and headers are text. Each text is parsed strictly by the
 * schema of its parameter, so `limit=` or `limit=1e3` is an error, not a guess.
 */

import { formatRecordUri, parseRecordUri } from "@rungs/evidence";
import type { z } from "zod";
import { ApiError } from "../errors/errors.ts";
import { firstProblem, plainMessages } from "../errors/problem.ts";
import { isCommaList } from "../operations/comma-list.ts";
import type { InputOf, Operation } from "../operations/operation.ts";
import { renderLabel } from "../render/label.ts";

/** Unknown parameter names are truncated in messages: a caller chooses them. */
const NAME_CHARS = 128;

/** A request's parts, percent-decoded. */
export interface WireRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Iterable<readonly [name: string, value: string]>;
  /** Called with lower-case names. */
  readonly header?: (name: string) => string | null | undefined;
}

/** A call, ready to be sent: the path is percent-encoded, the query is not. */
export interface WireCall {
  readonly method: Operation["method"];
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Parses an operation's input, or throws `invalid_request` with the parameter, also for an unknown one. */
export function requireInput<O extends Operation>(operation: O, request: WireRequest): InputOf<O> {
  const input: Record<string, unknown> = {};
  for (const [name, texts] of collectTexts(operation, request)) {
    const schema = unwrap(operation.input.shape[name] as z.core.$ZodType);
    input[name] = decode(schema, texts) ?? refuse(name, "is malformed");
  }
  const parsed = operation.input.safeParse(decodeRecordPath(input), plainMessages);
  if (parsed.success) return parsed.data as InputOf<O>;
  const { path, message } = firstProblem(parsed.error);
  return refuse(String(path[0] ?? ""), message);
}

/** Parses a JSON body, or throws `invalid_request` with the member, also for an unknown one. */
export function requireBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body, plainMessages);
  if (parsed.success) return parsed.data;
  const { path, message } = firstProblem(parsed.error);
  return refuse(String(path[0] ?? "body"), message);
}

/** Serializes an input as the call that `requireInput` parses. */
export function writeCall<O extends Operation>(operation: O, input: InputOf<O>): WireCall {
  const values = encodeRecordPath(input as Readonly<Record<string, unknown>>, pathNames(operation));
  const inPath = new Set(pathNames(operation));
  const inHeaders = new Set<string>(operation.headers ?? []);
  const others = Object.entries(values).filter(([name, value]) => value !== undefined && !inPath.has(name));
  return {
    method: operation.method,
    path: operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeSegment(name, String(values[name])),
    ),
    query: others
      .filter(([name]) => !inHeaders.has(name))
      .flatMap(([name, value]) =>
        encode(operation.input.shape[name] as z.core.$ZodType, value).map((text) => [name, text] as const),
      ),
    headers: Object.fromEntries(
      others.filter(([name]) => inHeaders.has(name)).map(([name, value]) => [name, String(value)]),
    ),
  };
}

/** A lone surrogate has no UTF-8, so no URL can hold it. */
function encodeSegment(name: string, text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : refuse(name, "is not well-formed Unicode");
}

/** The names of an operation's path parameters. */
export function pathNames({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

function collectTexts(operation: Operation, request: WireRequest): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  const elsewhere = new Set<string>([...pathNames(operation), ...(operation.headers ?? [])]);
  for (const name of pathNames(operation)) texts.set(name, [request.path[name] ?? ""]);
  for (const name of operation.headers ?? []) {
    const text = request.header?.(name);
    if (text !== null && text !== undefined) texts.set(name, [text]);
  }
  for (const [given, text] of request.query) {
    const name = operation.aliases?.[given] ?? given;
    if (!Object.hasOwn(operation.input.shape, name) || elsewhere.has(name)) {
      refuse(given, "is not a parameter of this call");
    }
    texts.set(name, [...(texts.get(name) ?? []), text]);
  }
  return texts;
}

function decode(schema: z.core.$ZodType, texts: readonly string[]): unknown {
  const { type } = schema._zod.def;
  if (type === "array") return isCommaList(schema) ? texts.flatMap((text) => text.split(",")) : texts;
  const [text, ...more] = texts;
  if (text === undefined || more.length > 0) return undefined;
  if (type === "number") return /^(?:0|-?[1-9]\d{0,15})$/.test(text) ? Number(text) : undefined;
  if (type === "boolean") return text === "true" || (text === "false" ? false : undefined);
  return text;
}

function encode(schema: z.core.$ZodType, value: unknown): string[] {
  if (!Array.isArray(value)) return [String(value)];
  return isCommaList(unwrap(schema)) ? [value.join(",")] : value.map(String);
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = (schema as z.core.$ZodOptional)._zod;
  return def.type === "optional" ? def.innerType : schema;
}

function refuse(name: string, problem: string): never {
  const param = renderLabel(name, NAME_CHARS);
  throw new ApiError("invalid_request", { param, message: `${param}: ${problem}.` });
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Record keys that a URL path cannot contain: every URL parser resolves `.` and `..` as dot segments, percent-encoded or not.
 * They are sent as their `pdpp://record/` URI, and so are keys that look like one.
 */
const NEEDS_URI = /^(?:\.{1,2}$|pdpp:\/\/)/;

/** Encodes the key in `id` for a path. */
function encodeRecordPath(input: Values, pathNames: readonly string[]): Values {
  const { connection_id, stream, id } = input;
  if (!pathNames.includes("id") || typeof id !== "string" || !NEEDS_URI.test(id)) return input;
  if (typeof connection_id !== "string" || typeof stream !== "string") {
    const message = "This record can be addressed only together with its connection_id.";
    throw new ApiError("invalid_record_id", { param: "connection_id", message });
  }
  return { ...input, id: formatRecordUri({ connection_id, stream, record_id: id }) };
}

/** Decodes the key, and refuses a URI that names another stream or connection than the rest of the request. */
function decodeRecordPath(input: Values): Values {
  const { connection_id, stream, id } = input;
  const ref = typeof id === "string" && typeof stream === "string" ? parseRecordUri(id) : undefined;
  if (!ref) return input;
  if (ref.stream !== stream) throw new ApiError("invalid_record_id", { param: "id" });
  if (connection_id !== undefined && connection_id !== ref.connection_id) {
    throw new ApiError("connection_conflict", { param: "connection_id" });
  }
  return { ...input, id: ref.record_id, connection_id: ref.connection_id };
}
