/** The same questions over REST and on the command line have the same answers, field by field (R44). */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { engines } from "../http/engines.ts";
import { INSIDE, type Json } from "../http/world.ts";
import { type ServedWorld, serveWorld } from "../mcp-clients/served-world.ts";
import { rungsHere } from "./in-process.ts";

interface Case {
  readonly argv: readonly string[];
  readonly path: string;
}

const window = "/v1/streams/notes/records/long/field-window?field_path=body";
const cases: readonly Case[] = [
  { argv: ["schema"], path: "/v1/schema" },
  { argv: ["schema", "notes", "--connection", "home"], path: "/v1/schema?stream=notes&connection_id=home" },
  { argv: ["search", INSIDE], path: `/v1/search?q=${INSIDE}` },
  { argv: ["search", "strasse cafe", "--limit", "1"], path: "/v1/search?q=strasse+cafe&limit=1" },
  { argv: ["search", "漢字", "--stream", "notes"], path: "/v1/search?q=%E6%BC%A2%E5%AD%97&stream=notes" },
  { argv: ["fetch", "home/notes:long"], path: "/v1/streams/notes/records/long?connection_id=home" },
  {
    argv: ["fetch", "home/notes:json", "--fields", "title,payload"],
    path: "/v1/streams/notes/records/json?fields=title,payload",
  },
  { argv: ["read", "home/notes:long", "body"], path: window },
  {
    argv: ["read", "home/notes:long", "body", "--offset", "4096", "--limit", "50"],
    path: `${window}&offset_chars=4096&limit_chars=50`,
  },
  {
    argv: ["read", "home/notes:long", "body", "--q", "line 77", "--before", "9", "--after", "9"],
    path: `${window}&q=line+77&before_chars=9&after_chars=9`,
  },
  {
    argv: ["query", "notes", "--filter", "rating>=3", "--filter", "done=true", "--limit", "3"],
    path: "/v1/streams/notes/query?filter=rating%3E%3D3&filter=done%3Dtrue&limit=3",
  },
  {
    argv: ["query", "notes", "--order", "asc", "--order-by", "written_at"],
    path: "/v1/streams/notes/query?order=asc&order_by=written_at",
  },
  {
    argv: ["aggregate", "notes", "--metric", "count", "--group-by", "rating"],
    path: "/v1/streams/notes/aggregate?metric=count&group_by=rating",
  },
  {
    argv: ["aggregate", "notes", "--metric", "avg", "--field", "rating"],
    path: "/v1/streams/notes/aggregate?metric=avg&field=rating",
  },
];

const refusals: readonly Case[] = [
  {
    argv: ["read", "home/notes:long", "secret"],
    path: "/v1/streams/notes/records/long/field-window?field_path=secret",
  },
  { argv: ["read", "home/notes:long", "body", "--q", "absent"], path: `${window}&q=absent` },
  {
    argv: ["read", "home/notes:long", "body", "--q", "x", "--offset", "1"],
    path: `${window}&q=x&offset_chars=1`,
  },
  { argv: ["read", "home/notes:long", "body", "--cursor", "forged"], path: `${window}&cursor=forged` },
  { argv: ["fetch", "home/notes:absent"], path: "/v1/streams/notes/records/absent" },
  { argv: ["query", "shelves"], path: "/v1/streams/shelves/query" },
  { argv: ["query", "notes", "--filter", "body=x"], path: "/v1/streams/notes/query?filter=body%3Dx" },
];

for (const engine of Object.keys(engines)) {
  describe(engine, () => {
    let served: ServedWorld;
    before(async () => {
      served = await serveWorld(engine);
    });
    after(() => served.close());
    const ask = (argv: readonly string[], token = served.world.client) =>
      rungsHere([...argv, "--json"], { RUNGS_URL: served.url, RUNGS_TOKEN: token });

    test("R44 answers are equal: evidence, ranges, completeness, continuations", async () => {
      await Promise.all(
        cases.map(async ({ argv, path }) => {
          const ran = await ask(argv);
          assert.equal(ran.code, 0, `${argv.join(" ")}: ${ran.err}`);
          const expected = await served.world.json(path);
          assert.deepEqual(withoutChance(JSON.parse(ran.out)), withoutChance(expected), argv.join(" "));
        }),
      );
    });

    test("R44 refusals are equal: code, message, parameter, what to do", async () => {
      await Promise.all(
        refusals.map(async ({ argv, path }) => {
          const ran = await ask(argv);
          const { error } = await served.world.refusal(path);
          assert.equal(ran.code, 1, argv.join(" "));
          assert.deepEqual(withoutChance(JSON.parse(ran.out).error), withoutChance(error), argv.join(" "));
        }),
      );
    });

    test("R44 a cursor of one face goes on in the other", async () => {
      const first = await served.world.json(`${window}&limit_chars=100`);
      const cursor: string = first.window.next_cursor;
      const next = JSON.parse((await ask(["read", "home/notes:long", "body", "--cursor", cursor])).out);
      assert.equal(next.window.start_chars, first.window.end_chars);
    });

    test("R04 R44 ambiguity names the same connections", async () => {
      const { token } = await served.allowBoth();
      const ran = await ask(["fetch", "notes:n1"], token);
      const { error } = await served.world.refusal("/v1/streams/notes/records/n1", token);
      const { available_connections, code } = JSON.parse(ran.out).error;
      assert.deepEqual([code, available_connections], [error.code, error.available_connections]);
    });
  });
}

/** Cursors are sealed with chance, and every request has an id of its own: that they are there is what counts. */
function withoutChance(value: Json): Json {
  return JSON.parse(
    JSON.stringify(value, (key, each) =>
      /cursor$|changes_since$|^request_id$/.test(key) && typeof each === "string" ? "…" : each,
    ),
  );
}
