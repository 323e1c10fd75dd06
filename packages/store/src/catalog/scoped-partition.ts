/**
 * The part of a partition that a scope covers: which of its masked copies to read, and the conditions on its records as lookups of stored
 * values, each a range of one field in one table.
 */
import {
  ApiError,
  type Condition,
  type ConditionValue,
  type FieldShape,
  foldValue,
  type StreamMasks,
  type StreamScope,
  type StreamShape,
} from "@rungs/contract";
import type { Dialect, Parameters, SqlContext } from "../database.ts";
import { FOLDED_FIELDS } from "../rows/folded-values.ts";
import { encodeTag, TAG_FIELD } from "../rows/pattern-tags.ts";
import {
  encodeScalar,
  equalRange,
  HEAD_BYTES,
  isEncodedText,
  prefixRange,
  typeRange,
} from "../rows/scalars.ts";
import type { Partition } from "./catalog.ts";

/** A partition with the limits that a scope puts on it. */
export interface ScopedPartition extends Partition {
  readonly scope: StreamScope;
  /** The granted fields that the stream declares. */
  readonly granted: ReadonlySet<string>;
  /** The scope's conditions on records, which must all be met: those of the grant and of the owner's exclusions. */
  readonly conditions: readonly PreparedCondition[];
  /** The limits on the parents of its records. */
  readonly parents: readonly ScopedParent[];
}

/** The records of another stream that a partition's records belong to, as far as a scope covers them. */
export interface ScopedParent {
  /** The number under which `items` has their keys. */
  readonly link: number;
  /** Whether a record without a parent is outside. */
  readonly is_needed: boolean;
  /** Undefined when none of them is in scope. */
  readonly partition: ScopedPartition | undefined;
}

/** The values of one field that meet a condition. */
export interface Lookup {
  readonly table: "scalars" | "items";
  readonly field: number;
  /** Tests a column of values; undefined when every value meets the condition. */
  readonly test?: ((dialect: Dialect, parameters: Parameters, column: string) => string) | undefined;
  /** Whether it compares with a few values, so that a key of the table finds them. */
  readonly is_point?: boolean;
}

type Test = NonNullable<Lookup["test"]>;

/** Lists of more values are tested row by row. */
const FEW_VALUES = 8;

/** A condition on a partition's fields: a record meets it if one of the lookups finds it, or, negated, if none does. */
export interface PreparedCondition {
  readonly lookups: readonly Lookup[];
  readonly is_negated: boolean;
}

/** Prepares a condition; undefined when the stream has no such field to select by, or no such value can be compared. */
function prepareCondition(partition: Partition, condition: Condition): PreparedCondition | undefined {
  const field = partition.shape.fields.find(({ name }) => name === condition.field);
  if (!field?.filterable) return undefined;
  const lookups = listLookups(field, partition.fieldNames.indexOf(field.name), condition);
  return lookups && { lookups, is_negated: condition.op === "not_in" || condition.op === "absent" };
}

function listLookups(field: FieldShape, number: number, condition: Condition): Lookup[] | undefined {
  const table = field.listed ? "items" : "scalars";
  /** A value is stored verbatim, and also in its comparison form if that differs. */
  const inBoth = (test?: Test, is_point = false): Lookup[] => [
    { table, field: number, test, is_point },
    { table: "items", field: number + FOLDED_FIELDS, test, is_point },
  ];
  switch (condition.op) {
    case "present":
    case "absent":
      // A mask may drop the verbatim value.
      return inBoth();
    case "prefix": {
      const bytes = encodeText(field, condition.value);
      return bytes && inBoth(within(prefixRange(bytes)));
    }
    case "range": {
      const test = testRange(field, condition);
      return test && inBoth(test);
    }
    default: {
      const values = condition.op === "equals" ? [condition.value] : condition.values;
      const encoded = values.map((value) => encodeValue(field, value));
      const texts = encoded.filter(isEncodedText);
      const others = encoded.filter((bytes) => !isEncodedText(bytes));
      return [
        ...(texts.length === 0 ? [] : inBoth(isAny(texts), texts.length <= FEW_VALUES)),
        ...(others.length === 0 ? [] : inBoth(isAny(others))),
      ];
    }
  }
}

/** The conditions that a scope puts on a partition's records; undefined when it selects none of them. */
export function prepareScope(partition: Partition, scope: StreamScope): PreparedCondition[] | undefined {
  const where = (scope.where ?? []).map((condition) => prepareCondition(partition, condition));
  if (where.some((each) => each === undefined)) return undefined;
  const hidden = scope.never?.conditions ?? [];
  // A field that the source no longer declares cannot be compared, though records still have values in it: hide them
  // all.
  if (hidden.some(({ field }) => isFormerField(partition, field))) return undefined;
  const never = mergeEqual(hidden).map((condition) => prepareCondition(partition, condition));
  return [
    ...where,
    ...never.map((each) => each && { ...each, is_negated: !each.is_negated }),
    ...(scope.never?.patterns ?? []).map(preparePattern),
  ].filter((each) => each !== undefined);
}

function isFormerField({ shape, fieldNames }: Partition, name: string): boolean {
  return fieldNames.includes(name) && !shape.fields.some((field) => field.name === name && field.filterable);
}

/** One condition for all values that a field must not have: an owner may hide thousands of people. */
function mergeEqual(conditions: readonly Condition[]): Condition[] {
  const values = new Map<string, ConditionValue[]>();
  const others: Condition[] = [];
  for (const condition of conditions) {
    if (condition.op !== "equals" && condition.op !== "in") others.push(condition);
    else
      values.set(condition.field, [
        ...(values.get(condition.field) ?? []),
        ...(condition.op === "equals" ? [condition.value] : condition.values),
      ]);
  }
  return [...[...values].map(([field, each]) => ({ field, op: "in" as const, values: each })), ...others];
}

/** Excludes the records with the tag of a rule. */
function preparePattern(rule_id: string): PreparedCondition {
  const tag = encodeTag(rule_id);
  const test: Test = (_, parameters, column) => `${column} = ${parameters.add(tag)}`;
  return { lookups: [{ table: "items", field: TAG_FIELD, test, is_point: true }], is_negated: true };
}

function encodeValue(field: FieldShape, value: ConditionValue): Uint8Array {
  return encodeScalar(field, typeof value === "string" ? foldText(field, value) : value) as Uint8Array;
}

/** Times compare as times; only other texts are folded. */
function foldText(field: FieldShape, value: string): string {
  const bytes = encodeScalar(field, value);
  return bytes && isEncodedText(bytes) ? foldValue(value) : value;
}

/** The beginning of a text as text, even where it looks like a time. */
function encodeText(field: FieldShape, value: string): Uint8Array | undefined {
  const { format: _, ...untimed } = field;
  return encodeScalar(untimed, foldValue(value));
}

function within({ from, to }: { from: Uint8Array; to: Uint8Array }): Test {
  return (_, parameters, column) =>
    `${column} >= ${parameters.add(from)} AND ${column} <= ${parameters.add(to)}`;
}

function isAny(values: readonly Uint8Array[]): Test {
  if (values.length > FEW_VALUES) {
    // The same instant has several spellings: compare times by their common prefix.
    const isText = values.every(isEncodedText);
    const list = [
      ...new Set(values.map((bytes) => formatBytes(isText ? bytes : bytes.subarray(0, HEAD_BYTES)))),
    ];
    return (dialect, parameters, column) =>
      dialect.isAnyBytes(isText ? column : `substr(${column}, 1, ${HEAD_BYTES})`, parameters.add(list));
  }
  const tests = values.map((bytes): Test => {
    const { from, to } = equalRange(bytes);
    return from === to
      ? (_, parameters, column) => `${column} = ${parameters.add(bytes)}`
      : within({ from, to });
  });
  return (dialect, parameters, column) =>
    `(${tests.map((test) => test(dialect, parameters, column)).join(" OR ")})`;
}

/** Writes bytes as a list parameter needs them. */
function formatBytes(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString("hex")}`;
}

/** Bounds hold for values of the same type: numbers and times. Texts have no order that people would agree on. */
function testRange(
  field: FieldShape,
  { gt, gte, lt, lte }: Extract<Condition, { op: "range" }>,
): Test | undefined {
  const bounds = ([">", ">=", "<", "<="] as const).flatMap((sign, at) => {
    const value = [gt, gte, lt, lte][at];
    return value === undefined ? [] : [{ sign, bytes: encodeScalar(field, value) as Uint8Array }];
  });
  const [first] = bounds;
  if (!first || bounds.some(({ bytes }) => isEncodedText(bytes) || bytes[0] !== first.bytes[0]))
    return undefined;
  const type = typeRange(first.bytes);
  return (_, parameters, column) =>
    [
      `${column} >= ${parameters.add(type.from)} AND ${column} < ${parameters.add(type.to)}`,
      ...bounds.map(({ sign, bytes }) => {
        const { from, to } = equalRange(bytes);
        return `${column} ${sign} ${parameters.add(sign === ">" || sign === "<=" ? to : from)}`;
      }),
    ].join(" AND ");
}

/**
 * Throws `rule_unfinished` until every record that the scope's rules by pattern hide is tagged, so that no read shows
 * one of them.
 */
export async function requireTagged(
  { sql, owner }: SqlContext,
  streams: readonly Pick<StreamScope, "never" | "within">[],
): Promise<void> {
  const rules = [...new Set(streams.flatMap(listPatterns))];
  if (rules.length === 0) return;
  const rows = await sql.all(
    `SELECT rule_id FROM exclusions WHERE owner = $1 AND tagged_doc IS NULL AND ${sql.dialect.isAnyText("rule_id", "$2")}`,
    [owner, rules],
  );
  if (rows.length < rules.length) throw new ApiError("rule_unfinished");
}

function listPatterns({ never, within = [] }: Pick<StreamScope, "never" | "within">): string[] {
  return [...(never?.patterns ?? []), ...within.flatMap(listPatterns)];
}

export function listGranted(shape: StreamShape, scope: StreamScope): Set<string> {
  const declared = new Set(shape.fields.map((field) => field.name));
  return new Set(scope.fields.filter((field) => declared.has(field)));
}

/** Incremented when masks hide different values than before, so that copies are rebuilt. */
const DETECTORS_VERSION = 3;

const written = new WeakMap<StreamMasks, string>();

/** Null when nothing is masked. */
export function formatMasks(masks: StreamMasks | undefined): string | null {
  if (!masks) return null;
  const known = written.get(masks);
  if (known !== undefined) return known;
  const { fields, kinds = [], words = [], expressions = [] } = masks;
  const text = JSON.stringify({
    version: DETECTORS_VERSION,
    fields: sortUnique(fields),
    kinds: sortUnique(kinds),
    words: sortUnique(words),
    expressions: sortUnique(expressions),
  });
  written.set(masks, text);
  return text;
}

/** The masks of a text that `formatMasks` wrote. */
export function parseMasks(text: string): StreamMasks {
  const { version: _, ...masks } = JSON.parse(text);
  return masks;
}

/** Depends only on the rules: streams with the same masks give a value the same token. */
export function formatRules({ kinds = [], words = [], expressions = [] }: StreamMasks): string {
  return JSON.stringify([sortUnique(kinds), sortUnique(words), sortUnique(expressions)]);
}

function sortUnique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
