/** Translates arguments as the protocol's other adapter spells them: accepted, but not published. */
import type { ReadName } from "@rungs/contract";

type Args = Readonly<Record<string, unknown>>;
type Rewrite = (value: unknown) => Args;

const OPERATORS: Readonly<Record<string, string>> = {
  eq: "=",
  ne: "!=",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<=",
};

const connection: Readonly<Record<string, Rewrite>> = {
  connector_instance_id: (connection_id) => ({ connection_id }),
};
const filtered = { ...connection, filter: (value: unknown) => ({ filter: listConditions(value) }) };

/** By tool and argument. */
const spellings: { readonly [Name in ReadName]?: Readonly<Record<string, Rewrite>> } = {
  // Our schema has only one level of detail: as much as fits.
  schema: { ...connection, detail: () => ({}), view: () => ({}) },
  search: {
    ...filtered,
    q: (query) => ({ query }),
    streams: (value) => ({ stream: Array.isArray(value) ? value.join(",") : value }),
  },
  query_records: { ...filtered, sort: readSort },
  aggregate: filtered,
  fetch: connection,
};

/** Rewrites the arguments of a tool; leaves our own spellings unchanged. */
export function readSpellings(name: ReadName, args: unknown): unknown {
  const own = spellings[name];
  if (!own || args === null || typeof args !== "object") return args;
  const rewritten = Object.entries(args).map(([given, value]) =>
    Object.hasOwn(own, given) ? (own[given]?.(value) ?? {}) : { [given]: value },
  );
  return Object.assign({}, ...rewritten);
}

/** `-sent_at`: by this field, the newest first. */
function readSort(value: unknown): Args {
  if (typeof value !== "string") return { order_by: value };
  return { order_by: value.replace(/^-/, ""), order: value.startsWith("-") ? "desc" : "asc" };
}

/** Turns `{sent_at: {gte: "2026"}, unread: true}` into conditions; leaves lists and anything else unchanged. */
function listConditions(value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.entries(value).flatMap(([field, wanted]) => {
    if (wanted === null || typeof wanted !== "object") return [`${field}=${wanted}`];
    return Object.entries(wanted).map(([name, limit]) => `${field}${OPERATORS[name] ?? ` ${name} `}${limit}`);
  });
}
