/** Random JSON schemas: each is refused, or accepts the same values as ajv, an independent implementation of the standard. */
import assert from "node:assert/strict";
import { after } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { fuzz } from "../../../../testing/fuzz/cases.ts";
import {
  createSchemaCheck,
  findSchemaProblem,
  indexSchemas,
  inferTypes,
  jsonSchemaSchema,
} from "../json-schema/index.ts";

const name = fc.constantFrom("a", "b", "c");
const small = fc.nat(3);
const limit = fc.integer({ min: -2, max: 2 });
const scalar = fc.oneof(
  fc.constantFrom("", "a", "ab", "abc", "b", "1", "x y"),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(true, false, null, 1.5),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

type Keywords = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Some of the keywords, with one of the types that they are for. */
function typed(types: readonly unknown[], keywords: Keywords): fc.Arbitrary<object> {
  return fc.subarray(Object.keys(keywords), { maxLength: 3 }).chain((chosen) =>
    fc.record(
      {
        type: fc.constantFrom(...types),
        ...Object.fromEntries(chosen.map((each) => [each, keywords[each] as fc.Arbitrary<unknown>])),
      },
      { noNullPrototype: true },
    ),
  );
}

const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const inner = tie("schema");
  const map = fc.dictionary(name, inner, { maxKeys: 2, noNullPrototype: true });
  const list = fc.array(inner, { minLength: 1, maxLength: 2 });
  const patterns = fc.dictionary(fc.constantFrom("^a", "c"), inner, { maxKeys: 1, noNullPrototype: true });
  const pattern = fc.constantFrom("^a", "b$", "[0-9]", "(", "\\p{L}");
  const names = fc.constantFrom({ type: "string", maxLength: 1 }, { type: "string", pattern: "^[ab]" });
  const counted = { items: inner, minItems: small, maxItems: small, uniqueItems: fc.boolean() };
  const alone = (keyword: string, arbitrary: fc.Arbitrary<unknown>) =>
    arbitrary.map((each) => ({ [keyword]: each }));
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.boolean(),
      alone("const", scalar),
      alone("enum", fc.uniqueArray(scalar, { minLength: 1, maxLength: 3, selector: JSON.stringify })),
      alone("$ref", fc.constantFrom("#", "#/$defs/a", "#/$defs/b", "#/properties/a", "https://x.example")),
      typed(["string", ["string", "null"]], { minLength: small, maxLength: small, pattern }),
      typed(["number", "integer", ["integer", "string"]], {
        minimum: limit,
        maximum: limit,
        exclusiveMinimum: limit,
        exclusiveMaximum: limit,
        multipleOf: fc.constantFrom(1, 2, 0.5),
      }),
      // Not both together: next to prefixItems, Ajv accepts an empty array for `contains`.
      typed(["array", ["array", "null"]], { ...counted, prefixItems: list }),
      typed(["array", ["array", "null"]], {
        ...counted,
        contains: inner,
        minContains: small,
        maxContains: small,
      }),
      typed(["object", ["object", "string"]], {
        properties: map,
        required: fc.uniqueArray(name, { maxLength: 2 }),
        patternProperties: patterns,
        additionalProperties: inner,
        propertyNames: names,
        minProperties: small,
        maxProperties: small,
        $defs: map,
      }),
      ...["anyOf", "oneOf", "allOf"].map((keyword) => alone(keyword, list)),
      alone("not", inner),
    ),
  };
});

const counts = { refused: 0, taken: 0, rejected: 0 };

fuzz(
  "a schema is refused, or enforced as the standard says",
  fc.tuple(schema, fc.array(value, { maxLength: 6 })),
  ([given, values]) => {
    const parsed = jsonSchemaSchema.safeParse(given).data;
    if (parsed === undefined || findSchemaProblem(parsed)) {
      counts.refused += 1;
      return;
    }
    inferTypes(parsed, indexSchemas(parsed));
    const check = createSchemaCheck(parsed);
    const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });
    const standard = ajv.compile(parsed as object);
    for (const each of values) {
      const isFit = check(each) === undefined;
      counts[isFit ? "taken" : "rejected"] += 1;
      assert.equal(isFit, standard(each), JSON.stringify(each));
    }
  },
);

after(() => {
  for (const [kind, count] of Object.entries(counts)) assert.ok(count > 10, `${count} ${kind}`);
});
