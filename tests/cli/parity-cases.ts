/** Calls and refusals that every interface answers in the same way. */
import type { Continuation } from "@rungs/evidence";
import { INSIDE } from "../../testing/world.ts";

/** One call, in the form of each interface. */
export interface Case {
  readonly argv: readonly string[];
  readonly path: string;
  readonly tool: Continuation;
}

export const window = "/v1/streams/notes/records/long/field-window?field_path=body";
export const long = { id: "home/notes:long", field_path: "body" };
export const read = (args: Continuation["args"]): Continuation => ({ operation: "read_record_field", args });
const query = (args: Continuation["args"]): Continuation => ({ operation: "query_records", args });
const aggregate = (args: Continuation["args"]): Continuation => ({ operation: "aggregate", args });

export const cases: readonly Case[] = [
  { argv: ["schema"], path: "/v1/schema", tool: { operation: "schema", args: {} } },
  {
    argv: ["schema", "notes", "--connection", "home"],
    path: "/v1/schema?stream=notes&connection_id=home",
    tool: { operation: "schema", args: { stream: "notes", connection_id: "home" } },
  },
  {
    argv: ["search", INSIDE, "--limit", "2"],
    path: `/v1/search?q=${INSIDE}&limit=2`,
    tool: { operation: "search", args: { query: INSIDE, limit: 2 } },
  },
  {
    argv: ["search", "strasse cafe", "--limit", "1"],
    path: "/v1/search?q=strasse+cafe&limit=1",
    tool: { operation: "search", args: { query: "strasse cafe", limit: 1 } },
  },
  {
    argv: ["search", "漢字", "--stream", "notes", "--limit", "2"],
    path: "/v1/search?q=%E6%BC%A2%E5%AD%97&stream=notes&limit=2",
    tool: { operation: "search", args: { query: "漢字", stream: "notes", limit: 2 } },
  },
  {
    argv: [
      ...[
        "search",
        "tea",
        "--stream",
        "notes",
        "--connection",
        "home",
        "--since",
        "2026-01-03",
        "--until",
        "2026-01-20",
      ],
      ...["--filter", "rating>=3", "--order", "newest", "--folded", "false", "--limit", "2"],
    ],
    path: "/v1/search?q=tea&stream=notes&connection_id=home&since=2026-01-03&until=2026-01-20&filter=rating%3E%3D3&order=newest&folded=false&limit=2",
    tool: {
      operation: "search",
      args: {
        query: "tea",
        stream: "notes",
        connection_id: "home",
        since: "2026-01-03",
        until: "2026-01-20",
        filter: ["rating>=3"],
        order: "newest",
        folded: false,
        limit: 2,
      },
    },
  },
  {
    argv: ["search", "nothinglikethis", "--limit", "2"],
    path: "/v1/search?q=nothinglikethis&limit=2",
    tool: { operation: "search", args: { query: "nothinglikethis", limit: 2 } },
  },
  {
    argv: ["fetch", "home/notes:long", "--fields", "title,body"],
    path: "/v1/streams/notes/records/long?connection_id=home&fields=title,body",
    tool: { operation: "fetch", args: { id: "home/notes:long", fields: ["title", "body"] } },
  },
  {
    argv: ["fetch", "home/notes:json", "--fields", "title,payload"],
    path: "/v1/streams/notes/records/json?fields=title,payload",
    tool: { operation: "fetch", args: { id: "home/notes:json", fields: ["title", "payload"] } },
  },
  { argv: ["read", "home/notes:long", "body"], path: window, tool: read(long) },
  {
    argv: ["read", "home/notes:long", "body", "--offset", "4096", "--limit", "50"],
    path: `${window}&offset_chars=4096&limit_chars=50`,
    tool: read({ ...long, offset_chars: 4096, limit_chars: 50 }),
  },
  {
    argv: ["read", "home/notes:long", "body", "--q", "line 77", "--before", "9", "--after", "9"],
    path: `${window}&q=line+77&before_chars=9&after_chars=9`,
    tool: read({ ...long, q: "line 77", before_chars: 9, after_chars: 9 }),
  },
  {
    argv: ["thread", "home/notes:n14", "--before", "1", "--after", "1"],
    path: "/v1/streams/notes/records/n14/thread?before=1&after=1",
    tool: { operation: "read_thread", args: { id: "home/notes:n14", before: 1, after: 1 } },
  },
  {
    argv: ["thread", "home/notes:n1"],
    path: "/v1/streams/notes/records/n1/thread",
    tool: { operation: "read_thread", args: { id: "home/notes:n1" } },
  },
  {
    argv: ["query", "notes", "--filter", "rating>=3", "--filter", "done=true", "--limit", "3"],
    path: "/v1/streams/notes/query?filter=rating%3E%3D3&filter=done%3Dtrue&limit=3",
    tool: query({ stream: "notes", filter: ["rating>=3", "done=true"], limit: 3 }),
  },
  {
    argv: ["query", "notes", "--order", "asc", "--order-by", "written_at", "--limit", "2"],
    path: "/v1/streams/notes/query?order=asc&order_by=written_at&limit=2",
    tool: query({ stream: "notes", order: "asc", order_by: "written_at", limit: 2 }),
  },
  {
    argv: ["aggregate", "notes", "--metric", "count", "--group-by", "rating"],
    path: "/v1/streams/notes/aggregate?metric=count&group_by=rating",
    tool: aggregate({ stream: "notes", metric: "count", group_by: "rating" }),
  },
  {
    argv: ["aggregate", "notes", "--metric", "avg", "--field", "rating"],
    path: "/v1/streams/notes/aggregate?metric=avg&field=rating",
    tool: aggregate({ stream: "notes", metric: "avg", field: "rating" }),
  },
];

export const refusals: readonly Case[] = [
  {
    argv: ["read", "home/notes:long", "secret"],
    path: "/v1/streams/notes/records/long/field-window?field_path=secret",
    tool: read({ ...long, field_path: "secret" }),
  },
  {
    argv: ["read", "home/notes:long", "body", "--q", "absent"],
    path: `${window}&q=absent`,
    tool: read({ ...long, q: "absent" }),
  },
  {
    argv: ["read", "home/notes:long", "body", "--q", "x", "--offset", "1"],
    path: `${window}&q=x&offset_chars=1`,
    tool: read({ ...long, q: "x", offset_chars: 1 }),
  },
  {
    argv: ["read", "home/notes:long", "body", "--cursor", "forged"],
    path: `${window}&cursor=forged`,
    tool: read({ ...long, cursor: "forged" }),
  },
  {
    argv: ["fetch", "home/notes:absent"],
    path: "/v1/streams/notes/records/absent",
    tool: { operation: "fetch", args: { id: "home/notes:absent" } },
  },
  {
    argv: ["thread", "home/notes:absent"],
    path: "/v1/streams/notes/records/absent/thread",
    tool: { operation: "read_thread", args: { id: "home/notes:absent" } },
  },
  { argv: ["query", "shelves"], path: "/v1/streams/shelves/query", tool: query({ stream: "shelves" }) },
  {
    argv: ["query", "notes", "--filter", "body=x"],
    path: "/v1/streams/notes/query?filter=body%3Dx",
    tool: query({ stream: "notes", filter: ["body=x"] }),
  },
  {
    argv: ["search", "--", "---"],
    path: "/v1/search?q=---",
    tool: { operation: "search", args: { query: "---" } },
  },
];
