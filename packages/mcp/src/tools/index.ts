import type { Tool } from "../tool.ts";
import { aggregateTool } from "./aggregate.ts";
import { exportLinkTool } from "./export-link.ts";
import { fetchTool } from "./fetch.ts";
import { queryRecordsTool } from "./query-records.ts";
import { readBlobTool } from "./read-blob.ts";
import { readRecordFieldTool } from "./read-record-field.ts";
import { readThreadTool } from "./read-thread.ts";
import { schemaTool } from "./schema.ts";
import { searchTool } from "./search.ts";

/** Every tool, in the order in which hosts list them. */
export const tools: readonly Tool[] = [
  searchTool,
  fetchTool,
  readRecordFieldTool,
  readThreadTool,
  queryRecordsTool,
  aggregateTool,
  schemaTool,
  readBlobTool,
  exportLinkTool,
];
