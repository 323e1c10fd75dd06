/** Renders the granted streams, with their fields and what each field allows. */
import { type Continuation, foldToLine, formatFieldPath } from "@rungs/evidence";
import type { OutputOf } from "../operations/operation.ts";
import type { schemaOperation } from "../operations/schema.ts";
import type { RenderOptions } from "./options.ts";

type Schema = OutputOf<typeof schemaOperation>;
type Stream = Schema["streams"][number];
type Field = Stream["fields"][number];
type WriteOptions = Pick<RenderOptions, "write">;

/** Renders every stream with all its fields; fields that an earlier stream has too are not repeated. */
export function renderSchema({ streams }: Schema, _call: Continuation, { write }: WriteOptions): string {
  if (streams.length === 0) return "Nothing is granted here.";
  const shown = new Map<string, string>();
  const blocks = streams.map((stream) => {
    const fields = [renderKey(stream), ...stream.fields.map(renderField)].join("\n");
    const same = shown.get(fields);
    if (same === undefined) shown.set(fields, renderName(stream));
    const listed = same === undefined ? fields : `  key and fields: as of ${same}`;
    return [renderHead(stream), ...renderLimits(stream), listed].join("\n");
  });
  const { connection_id, stream } = streams[0]!;
  const first = write({ operation: "query_records", args: { stream, connection_id } });
  return [
    ...blocks,
    `Find passages: ${write({ operation: "search", args: { query: "…" } })}, or list a stream: ${first}`,
  ].join("\n\n");
}

/** Renders one line for each stream and the call that shows its fields. */
export function renderSchemaBriefly({ streams }: Schema, { write }: WriteOptions): string {
  const blocks = streams.map((stream) => {
    const { connection_id, stream: name, fields } = stream;
    const next = write({ operation: "schema", args: { stream: name, connection_id } });
    return `${renderHead(stream)}, ${fields.length} fields\n  fields: ${next}`;
  });
  return [...blocks, "The fields did not fit here; ask for one stream at a time."].join("\n\n");
}

function renderName({ connection_id, stream }: Stream): string {
  return `connection_id=${JSON.stringify(connection_id)} stream=${JSON.stringify(stream)}`;
}

function renderHead(stream: Stream): string {
  const { label, display_name, connector_key, record_count } = stream;
  const names = [connector_key, display_name, label].flatMap((name) => (name ? [foldToLine(name)] : []));
  const labels = names.length === 0 ? "" : ` (${names.join(" · ")})`;
  return `${renderName(stream)}${labels}: ${record_count} records`;
}

function renderLimits(stream: Stream): string[] {
  const { description, time_range, granted_time, granted_records } = stream;
  const granted = [
    ...(granted_time?.since ? [`from ${granted_time.since}`] : []),
    ...(granted_time?.until ? [`before ${granted_time.until}`] : []),
    ...(granted_records === undefined ? [] : [`only ${granted_records} named records`]),
  ];
  return [
    ...(description === undefined
      ? []
      : [`  its source describes it as ${JSON.stringify(foldToLine(description))}`]),
    ...(time_range ? [`  times: ${time_range.first} to ${time_range.last}`] : []),
    ...(granted.length === 0 ? [] : [`  granted: ${granted.join(", ")}`]),
  ];
}

function renderKey({ primary_key, time_field }: Stream): string {
  return `  key: ${primary_key.join(", ")}${time_field === undefined ? "" : `; time: ${time_field}`}`;
}

function renderField({
  name,
  type,
  format,
  role,
  media_type,
  searchable,
  filterable,
  aggregatable,
}: Field): string {
  const abilities = [
    ...(searchable ? ["searchable"] : []),
    ...(filterable ? ["filterable"] : []),
    ...(aggregatable ? ["aggregatable"] : []),
  ];
  const kind = [[type].flat().join("|"), format, media_type, role].filter((part) => part !== undefined);
  return `  - ${formatFieldPath([name])}: ${kind.map(foldToLine).join(", ")}${abilities.length === 0 ? "" : ` [${abilities.join(", ")}]`}`;
}
