import type { Tool } from "../tool.ts";
import { aggregate } from "./aggregate.ts";
import { fetch } from "./fetch.ts";
import { queryRecords } from "./query-records.ts";
import { readBlob } from "./read-blob.ts";
import { readRecordField } from "./read-record-field.ts";
import { schema } from "./schema.ts";
import { search } from "./search.ts";

/** Every tool, in the order in which hosts list them: the ladder from its first rung. */
export const tools: readonly Tool[] = [
  search,
  fetch,
  readRecordField,
  queryRecords,
  aggregate,
  schema,
  readBlob,
];
