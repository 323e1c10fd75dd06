/** Random rules of the owner, including on streams outside a grant, and what they leave of the grant. */
import type { Exclusion, ParentScope, StreamScope } from "@rungs/contract";
import type { Random } from "../../testing/random.ts";
import type { Oracle } from "../../testing/store/oracle.ts";
import { patternOf } from "../../testing/store/pattern-rules.ts";
import { randomConditions } from "../../testing/store/random-conditions.ts";
import { CONNECTIONS, STREAMS } from "../../testing/store/random-questions.ts";

/** What the owner hides of one stream of a connection. */
export interface HiddenStream {
  readonly connection_id: string;
  readonly stream: string;
  readonly never: NonNullable<StreamScope["never"]>;
}

/** Rules about some of the streams of an owner, whether a grant covers them or not. */
export function randomRules(random: Random, oracle: Oracle, owner_id: string): HiddenStream[] {
  return CONNECTIONS.flatMap((connection_id) =>
    STREAMS.flatMap((stream) => {
      const { never } = randomConditions(random, oracle, owner_id, stream);
      const count = never
        ? never.conditions.length + never.record_ids.length + (never.patterns ?? []).length
        : 0;
      return never && count > 0 ? [{ connection_id, stream, never }] : [];
    }),
  );
}

/** The rules as the owner keeps them. */
export function toExclusions(rules: readonly HiddenStream[], created_at: string): Exclusion[] {
  return rules
    .flatMap(({ connection_id, stream, never }): Exclusion["hides"][] => [
      ...never.conditions.map((condition) => ({ kind: "value" as const, condition, connection_id, stream })),
      ...(never.patterns ?? []).map((rule_id) => ({
        kind: "pattern" as const,
        pattern: patternOf(rule_id),
        connection_id,
        stream,
      })),
      ...never.record_ids.map((record_id) => ({ kind: "record" as const, connection_id, stream, record_id })),
    ])
    .map((hides, at) => ({ rule_id: `rule_${at}`, created_at, hides }));
}

/** The constraints on the parents of a stream's records, by the grant's limits and the rules. */
export function listParentLimits(
  oracle: Oracle,
  streams: readonly StreamScope[],
  rules: readonly HiddenStream[],
  { connection_id, stream }: Pick<StreamScope, "connection_id" | "stream">,
): ParentScope[] {
  return oracle.shapeOf(stream).parents.flatMap((parent) => {
    const isParent = (one: { connection_id: string; stream: string }) =>
      one.connection_id === connection_id && one.stream === parent.stream;
    const { time, record_ids, where } = streams.find(isParent) ?? {};
    const never = rules.find(isParent)?.never;
    const within = listParentLimits(oracle, streams, rules, { connection_id, stream: parent.stream });
    const limits = [time, record_ids, where, never].some((limit) => limit !== undefined);
    return limits || within.length > 0 ? [{ ...parent, time, record_ids, where, never, within }] : [];
  });
}
