/**
 * The words of the read commands, in one place: names, operands and flags. Plain data, so that `rungs --help` lists the
 * commands without loading the contract.
 */
import type { ReadName } from "@rungs/contract";

/** How the command line offers an operation. */
interface ReadWords {
  readonly command: string;
  /** The operation's summary. */
  readonly about: string;
  /** Parameters without a flag, in order, and their names in the usage line. */
  readonly operands: Readonly<Record<string, string>>;
}

/** The read commands by operation, in the order of `--help`. */
export const READ_COMMANDS: Readonly<Record<ReadName, ReadWords>> = {
  schema: {
    command: "schema",
    about: "Lists the granted streams with their connections, fields, counts and times.",
    operands: { stream: "[STREAM]" },
  },
  search: {
    command: "search",
    about: "Finds the records that best answer a question, each with the proven place of its match.",
    operands: { q: "QUERY" },
  },
  read_record_field: {
    command: "read",
    about: "Reads a bounded window of one field's text: at an offset, at a cursor, or around a match.",
    operands: { id: "ID", field_path: "FIELD" },
  },
  fetch: {
    command: "fetch",
    about: "Returns one record: with view=preview long values are cut, each with the call that reads on.",
    operands: { id: "ID" },
  },
  read_thread: {
    command: "thread",
    about: "Reads the records before and after a record in its thread, in order of time.",
    operands: { id: "ID" },
  },
  export_link: {
    command: "export-link",
    about:
      "Makes a link from which the person downloads the granted records, whole; it works once and for 15 minutes.",
    operands: {},
  },
  query_records: {
    command: "query",
    about: "Lists a stream's records that meet conditions on granted scalar fields, in the requested order.",
    operands: { stream: "STREAM" },
  },
  aggregate: {
    command: "aggregate",
    about: "Counts or measures a stream's records, in total or by group.",
    operands: { stream: "STREAM" },
  },
  read_blob: {
    command: "blob",
    about: "Returns a blob's bytes, or a range of them, if a granted field of a granted record refers to it.",
    operands: { blob_id: "BLOB_ID" },
  },
};

/** How a parameter is written as a flag. */
interface Flag {
  /** By default the parameter's name with dashes. */
  readonly flag?: string;
  /** The placeholder for the value in `--help`; by default the values that the contract lists. */
  readonly value?: string;
  /** The help text, where the contract's description does not fit. */
  readonly about?: string;
  /** Whether a list is written as one flag for each of its values. */
  readonly repeated?: true;
}

/** The parameters that read commands take as flags. */
export const FLAGS: Readonly<Record<string, Flag>> = {
  connection_id: { flag: "connection", value: "ID" },
  stream: { value: "STREAM" },
  fields: { value: "A,B" },
  filter: { value: "FIELD=VALUE", repeated: true },
  since: { value: "TIME" },
  until: { value: "TIME" },
  order: {},
  mode: {},
  folded: { value: "true|false" },
  facets: { value: "true|false" },
  order_by: { value: "FIELD" },
  limit: { value: "N" },
  cursor: { value: "CURSOR", about: "The cursor of an earlier answer." },
  metric: { value: "METRIC", about: "count, count_distinct, min, max, sum or avg." },
  field: { value: "FIELD" },
  group_by: { value: "FIELD" },
  time_bucket: {},
  time_zone: { value: "ZONE" },
  after_field: { value: "FIELD" },
  after_stream: { value: "CONNECTION/STREAM" },
  view: {
    value: "whole|preview",
    about: "Long values cut to a preview (the default here) or whole.",
  },
  q: { value: "TEXT", about: "Around the first match of these words." },
  offset_chars: { flag: "offset", value: "N", about: "From this character on; 0 by default." },
  limit_chars: {
    flag: "limit",
    value: "N",
    about: "How many characters, at most 16384; 4096 by default, fewer of dense text such as CJK.",
  },
  before: { value: "N" },
  after: { value: "N" },
  before_chars: { flag: "before", value: "N", about: "How many characters before the match; with --q." },
  after_chars: { flag: "after", value: "N", about: "How many characters after the match; with --q." },
};

/** Formats the flag of a parameter, such as `connection` for `connection_id`. */
export function formatFlag(parameter: string): string {
  return (Object.hasOwn(FLAGS, parameter) && FLAGS[parameter]?.flag) || parameter.replaceAll("_", "-");
}
