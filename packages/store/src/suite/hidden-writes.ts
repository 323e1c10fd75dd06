/** Random writes that a scope must not notice: outside its connections, streams, fields, times, record ids or conditions. */
import type { ParentScope, ReadScope, RecordEnvelope, StreamScope } from "@rungs/contract";
import type { Random } from "../../../../testing/random.ts";
import type { Held, Oracle } from "../../../../testing/store/oracle.ts";
import { changeFields, randomRecord } from "../../../../testing/store/random-data.ts";
import { CONNECTIONS, STREAMS } from "../../../../testing/store/random-questions.ts";
import { removal } from "../../../../testing/store/world.ts";
import type { StoredRef } from "../store.ts";

export interface HiddenWrite {
  readonly connection_id: string;
  readonly envelope: RecordEnvelope;
}

/** One write that `scope` does not cover; undefined when the random choice gave none. */
export function randomHiddenWrite(
  random: Random,
  oracle: Oracle,
  scope: ReadScope,
  emitted_at: string,
): HiddenWrite | undefined {
  const connection_id = random.pick(CONNECTIONS);
  const stream = random.chance(0.6) ? "messages" : random.pick(STREAMS);
  const limits = scope.streams.find((one) => one.connection_id === connection_id && one.stream === stream);
  const held = oracle
    .recordsOf(scope.owner_id)
    .filter(({ ref }) => ref.connection_id === connection_id && ref.stream === stream);
  const outside = held.filter((one) => !limits || !oracle.covers(scope.owner_id, one, limits));
  const envelope =
    limits && stream === "messages" && random.chance(0.5)
      ? changeHiddenFields(random, limits, held, emitted_at)
      : writeOutside(random, stream, outside, emitted_at);
  const hidden =
    envelope &&
    isHidden(oracle, scope, connection_id, envelope, limits) &&
    !movesChildren(oracle, scope, connection_id, envelope);
  return hidden ? { connection_id, envelope } : undefined;
}

function writeOutside(
  random: Random,
  stream: string,
  outside: readonly Held[],
  emitted_at: string,
): RecordEnvelope {
  if (outside.length > 0 && random.chance(0.3)) {
    const { record_id } = random.pick(outside).ref;
    return removal(stream, stream === "labels" ? (JSON.parse(record_id) as string[]) : record_id, emitted_at);
  }
  const before = outside.length > 0 && random.chance(0.5) ? random.pick(outside) : undefined;
  return randomRecord(random, stream, before, emitted_at);
}

function changeHiddenFields(
  random: Random,
  limits: StreamScope,
  held: readonly Held[],
  emitted_at: string,
): RecordEnvelope | undefined {
  if (held.length === 0) return undefined;
  const record = random.pick(held);
  const hidden = Object.keys(record.data)
    .concat("note", "payload", "label")
    .filter((name) => !limits.fields.includes(name));
  return changeFields(random, record, hidden, emitted_at);
}

/** Whether a write brings a record in or out of what the scope wants the parents of other records to be. */
function movesChildren(
  oracle: Oracle,
  { owner_id, streams }: ReadScope,
  connection_id: string,
  { stream, key, data, op }: RecordEnvelope,
): boolean {
  const ref = { connection_id, stream, record_id: typeof key === "string" ? key : JSON.stringify(key) };
  const before = oracle.find(owner_id, ref);
  const after = op === "delete" || !data ? undefined : toHeld(oracle, ref, data);
  return streams
    .flatMap((entry) => (entry.connection_id === connection_id ? listParents(entry) : []))
    .filter((parent) => parent.stream === stream)
    .map((parent) => ({ connection_id, fields: [], ...parent }))
    .some((limits) => {
      const [was, is] = [before, after].map((held) => held && oracle.covers(owner_id, held, limits));
      return (was ?? false) !== (is ?? false);
    });
}

function listParents({ within = [] }: Pick<StreamScope, "within">): ParentScope[] {
  return within.flatMap((parent) => [parent, ...listParents(parent)]);
}

function toHeld(oracle: Oracle, ref: StoredRef, data: Readonly<Record<string, unknown>>): Held {
  const time_ms = oracle.timeOf(ref.stream, data);
  return { ref, data, time_ms, changed: new Map(), place: 0, version: 0, carried: new Set() };
}

/** Whether the record is outside the scope before and after, or inside it with the same granted fields. */
function isHidden(
  oracle: Oracle,
  scope: ReadScope,
  connection_id: string,
  { stream, key, data, op }: RecordEnvelope,
  limits: StreamScope | undefined,
): boolean {
  if (!limits) return true;
  const ref = { connection_id, stream, record_id: typeof key === "string" ? key : JSON.stringify(key) };
  const before = oracle.find(scope.owner_id, ref);
  const wasInside = before !== undefined && oracle.covers(scope.owner_id, before, limits);
  if (op === "delete" || !data) return !wasInside;
  const isInside = oracle.covers(scope.owner_id, toHeld(oracle, ref, data), limits);
  if (!wasInside && !isInside) return true;
  const seen = (all: Readonly<Record<string, unknown>>) =>
    JSON.stringify(limits.fields.map((name) => all[name] ?? ""));
  return wasInside && isInside && seen(before.data) === seen(data);
}
