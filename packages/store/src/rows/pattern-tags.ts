/** Tags of the records that match the owner's rules by pattern: exclusions look them up as they look up values (R81). */
import { type Exclusion, isInPlace } from "@rungs/contract";
import { createValueTest } from "@rungs/evidence";
import type { SqlContext, WriteSql } from "../database.ts";

/** In `items`, the ids of the rules that a record matches are under this field's number. */
export const TAG_FIELD = 768;

type PatternRule = Extract<Exclusion["hides"], { kind: "pattern" }>;

interface Place {
  readonly connection_id: string;
  readonly stream: string;
}

/** Tests a record's data against a rule. */
export type RecordTest = (place: Place, data: Readonly<Record<string, unknown>>) => boolean;

/** The value that tags the records of a rule. */
export function encodeTag(rule_id: string): Uint8Array {
  return Buffer.from(rule_id);
}

/** Tests records of the streams that a rule is about. */
export function createRecordTest(hides: PatternRule): RecordTest {
  const { pattern, field } = hides;
  const test = createValueTest(pattern);
  // The names of fields are the declaration's, not data.
  return (place, data) =>
    isInPlace(hides, place) && (field === undefined ? Object.values(data).some(test) : test(data[field]));
}

/** The rules by pattern of an owner, for testing what is written. */
export class PatternRules {
  readonly #rules: readonly {
    readonly hides: PatternRule;
    readonly tag: Uint8Array;
    readonly test: RecordTest;
  }[];

  private constructor(rules: readonly Exclusion[]) {
    this.#rules = rules.flatMap(({ rule_id, hides }) =>
      hides.kind === "pattern" ? [{ hides, tag: encodeTag(rule_id), test: createRecordTest(hides) }] : [],
    );
  }

  /**
   * Reads the rules inside the writing transaction, so that once a rule is stored, every record is written with its
   * tag.
   */
  static async read({ sql, owner }: SqlContext): Promise<PatternRules> {
    const rows = await sql.all<{ body: string }>("SELECT body FROM exclusions WHERE owner = $1", [owner]);
    return new PatternRules(rows.map(({ body }) => JSON.parse(body) as Exclusion));
  }

  /** Whether one of the rules is about a stream. */
  covers(place: Place): boolean {
    return this.#rules.some(({ hides }) => isInPlace(hides, place));
  }

  /** The tags of a record. */
  list(place: Place, data: Readonly<Record<string, unknown>>): Uint8Array[] {
    return this.#rules.filter(({ test }) => test(place, data)).map(({ tag }) => tag);
  }
}

/** Starts comparing all records with a rule; does nothing for a rule without a pattern. */
export async function startTagging(context: SqlContext<WriteSql>, rule_id: string): Promise<void> {
  const { sql, owner } = context;
  const rule = [owner, rule_id];
  const [row] = await sql.all<{ body: string }>(
    "SELECT body FROM exclusions WHERE owner = $1 AND rule_id = $2",
    rule,
  );
  if (!row || (JSON.parse(row.body) as Exclusion).hides.kind !== "pattern") return;
  await deleteTags(context, rule_id);
  await sql.run("UPDATE exclusions SET tagged_doc = 0 WHERE owner = $1 AND rule_id = $2", rule);
}

/** Deletes the tags of a rule. */
export async function deleteTags({ sql, owner }: SqlContext<WriteSql>, rule_id: string): Promise<void> {
  await sql.run(
    `DELETE FROM items WHERE owner = $1 AND part IN (SELECT part FROM parts WHERE owner = $1) AND field = ${TAG_FIELD} AND value = $2`,
    [owner, encodeTag(rule_id)],
  );
}
