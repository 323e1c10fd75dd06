import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { connectorManifest } from "../../../../testing/connector/manifest.ts";
import {
  convertConnectorManifest,
  isConnectorManifest,
  requireConnectorManifest,
} from "./connector-manifest.ts";

const convert = (value: unknown) => convertConnectorManifest(requireConnectorManifest(value));

const [plays, lists] = connectorManifest.streams;
const withStream = (more: object, rest: readonly object[] = []) => ({
  ...connectorManifest,
  streams: [plays, { ...lists, ...more }, ...rest],
});

test("R85 a connector's manifest becomes a source declaration", () => {
  const { source, declaration_version, display, streams } = convert(connectorManifest);
  assert.deepEqual(source, { kind: "connector", id: "https://registry.example/connectors/tunes" });
  assert.deepEqual([declaration_version, display?.name], ["1.0.0", "Tunes"]);
  const [stream] = streams;
  assert.equal(stream?.semantics, "mutable_state");
  assert.deepEqual((stream?.schema as { required: string[] } | undefined)?.required, ["id"]);
});

test("R85 members for the runtime alone and unknown roles are dropped", () => {
  const properties = {
    ...lists?.schema.properties,
    picture: { type: "string", x_pdpp_role: "media" },
    // A field may be named like the keyword.
    x_pdpp_role: { type: "string" },
  };
  const { streams } = convert(
    withStream({
      semantics: "append_only",
      schema: { ...lists?.schema, properties },
      coverage_strategy: "full_inventory",
      compaction_class: "x",
      selection: { fields: true, resource_field: "id" },
      query: { search: { lexical_fields: ["title"] }, other: 1 },
    }),
  );
  const converted = streams[1];
  assert.equal(converted?.semantics, "append_only");
  assert.deepEqual((converted?.schema as { properties: object } | undefined)?.properties, {
    ...lists?.schema.properties,
    picture: { type: "string" },
    x_pdpp_role: { type: "string" },
  });
  assert.deepEqual(
    [converted?.selection, converted?.query],
    [{ fields: true }, { search: { lexical_fields: ["title"] } }],
  );
});

test("R85 a connector named by a plain word gets a URI", () => {
  const named = { ...connectorManifest, connector_id: "tunes maps" };
  assert.equal(convert(named).source.id, "urn:pdpp:connector:tunes%20maps");
  const uri = "https://registry.example/maps";
  assert.equal(convert({ ...named, manifest_uri: uri }).source.id, uri);
  assert.deepEqual(
    [isConnectorManifest(named), isConnectorManifest(convert(named)), isConnectorManifest(null)],
    [true, false, false],
  );
});

suite("a connector's manifest is refused with the location when", () => {
  const CASES: Readonly<Record<string, readonly [value: unknown, place: RegExp]>> = {
    "it is not an object": ["x", /manifest of the connector/],
    "it has no streams": [{ ...connectorManifest, streams: [] }, /^streams/],
    "a stream covers itself": [
      withStream({ state_stream: "lists", coverage_strategy: "checkpoint_window" }),
      /itself/,
    ],
    "a parent is not declared": [
      withStream({ state_stream: "no", coverage_strategy: "checkpoint_window" }),
      /not declared/,
    ],
    "a parent is named twice": [
      withStream({ parent_streams: ["plays", "plays"], coverage_strategy: "parent_detail_accounting" }),
      /twice/,
    ],
    "both kinds of parents are named": [
      withStream({
        parent_streams: ["plays"],
        state_stream: "plays",
        coverage_strategy: "parent_detail_accounting",
      }),
      /combined/,
    ],
    "a list of parents is empty": [
      withStream({ parent_streams: [], coverage_strategy: "parent_detail_accounting" }),
      /no stream/,
    ],
    "the strategy is another": [withStream({ state_stream: "plays" }), /checkpoint_window/],
    "checkpoints depend on each other in a circle": [
      {
        ...connectorManifest,
        streams: [
          { ...plays, state_stream: "lists", coverage_strategy: "checkpoint_window" },
          { ...lists, parent_streams: ["plays"], coverage_strategy: "parent_detail_accounting" },
        ],
      },
      /its own checkpoint/,
    ],
  };
  for (const [what, [value, words]] of Object.entries(CASES))
    test(what, () => assert.throws(() => convert(value), { code: "invalid_manifest", message: words }));
  test("two streams share a parent, it is not", () => {
    const child = { ...lists, state_stream: "plays", coverage_strategy: "checkpoint_window" };
    assert.equal(
      convert({ ...connectorManifest, streams: [plays, child, { ...child, name: "more" }] }).streams.length,
      3,
    );
  });
});

/** A checkout of the protocol's repository, PDP-Connect/pdpp. */
const upstream = join(process.env.RUNGS_TEST_PDPP ?? "", "packages/polyfill-connectors/manifests");

test("R85 every manifest of the protocol's connectors is converted", {
  skip: !(process.env.RUNGS_TEST_PDPP && existsSync(upstream)) && "RUNGS_TEST_PDPP names no checkout",
}, () => {
  const files = readdirSync(upstream).filter((name) => name.endsWith(".json"));
  assert.ok(files.length >= 44);
  for (const name of files) {
    const value = JSON.parse(readFileSync(join(upstream, name), "utf8")) as { streams: { name: string }[] };
    assert.deepEqual(
      convert(value).streams.map((stream) => stream.name),
      value.streams.map((stream) => stream.name),
      name,
    );
  }
});
