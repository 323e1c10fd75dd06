/** Operations on streams. */
import { ApiError, createList } from "@rungs/contract";
import { requireScope } from "../access/authority.ts";
import { requireStream } from "../records/target.ts";
import { describeGrantedStream } from "../schema/granted-stream.ts";
import { describeDeclaration, summarizeStream } from "../schema/stream-declaration.ts";
import type { Handler } from "./handler.ts";

/** `schema`: the streams and fields that this grant covers, and what each supports. */
export const handleSchema: Handler<"schema"> = async ({ settings, authority, input }) => {
  const { stream, connection_id } = input;
  const isWhole = stream === undefined && connection_id === undefined;
  const scope = isWhole ? authority.scope : requireScope(authority, { stream, connection_id });
  const facts = await settings.store.describeStreams(scope);
  const sizes = await settings.store.describeSizes(scope);
  const all = facts.map((each) => describeGrantedStream(each, sizes, scope, authority.sources));
  const streams = dropUntil(all, input.after_stream, (each) => `${each.connection_id}/${each.stream}`).map(
    (each) => ({ ...each, fields: dropUntil(each.fields, input.after_field, ({ name }) => name) }),
  );
  return { kind: "json", body: { object: "schema", streams }, reads: [{ stream, connection_id }] };
};

/** The items after the one called `name`; all of them if there is no name, or none has it. */
function dropUntil<Item>(
  items: readonly Item[],
  name: string | undefined,
  nameOf: (item: Item) => string,
): Item[] {
  return items.slice(name === undefined ? 0 : items.findIndex((item) => nameOf(item) === name) + 1);
}

/** `list_streams`: the granted streams. */
export const handleListStreams: Handler<"list_streams"> = async ({ settings, authority, input, path }) => {
  const scope = input.connection_id === undefined ? authority.scope : requireScope(authority, input);
  const facts = await settings.store.describeStreams(scope);
  const data = facts.map((each) => summarizeStream(each, authority.sources));
  return {
    kind: "json",
    body: createList({ url: path, data }),
    reads: [{ connection_id: input.connection_id }],
  };
};

/** `list_connectors`: the sources of the granted streams. */
export const handleListConnectors: Handler<"list_connectors"> = async ({ settings, authority, path }) => {
  const { scope, sources } = authority;
  const facts = await settings.store.describeStreams(scope);
  const bySource = Map.groupBy(facts, ({ connection_id }) => sources.get(connection_id)?.manifest.source);
  const data = [...bySource].flatMap(([source, own]) =>
    source
      ? [
          {
            object: "connector" as const,
            connector_id: source.id,
            source: { ...source },
            stream_count: own.length,
            streams: own.map((each) => summarizeStream(each, sources)),
          },
        ]
      : [],
  );
  return { kind: "json", body: createList({ url: path, data }), reads: [{}] };
};

/** `get_stream`: the granted part of a stream's declaration. */
export const handleGetStream: Handler<"get_stream"> = async ({ settings, authority, input }) => {
  const target = requireStream(authority, input);
  const [facts] = await settings.store.describeStreams(target.scope);
  if (!facts) throw new ApiError("not_found", { param: "stream" });
  const { connection_id, stream } = target;
  return {
    kind: "json",
    body: { ...summarizeStream(facts, authority.sources), ...describeDeclaration(target, authority.scope) },
    reads: [{ connection_id, stream }],
  };
};
