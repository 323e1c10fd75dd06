/**
 * The expected answers of the store, computed from plain lists without any index, for the differential test. It holds
 * every version of every record and scans all of them for every read.
 */
import {
  describeStream,
  type FieldShape,
  type Manifest,
  parseTimeMs,
  type ReadScope,
  type RecordEnvelope,
  type StreamScope,
  type StreamShape,
} from "@rungs/contract";
import { canonicalKey, countChars } from "@rungs/evidence";
import type { FieldSize, StoredRef, StreamFacts } from "@rungs/store";
import { meetsScope } from "./oracle-conditions.ts";
import { findThread } from "./oracle-threads.ts";

/** A version of a record. */
export interface Held {
  readonly ref: StoredRef;
  readonly data: Readonly<Record<string, unknown>>;
  readonly time_ms: number | null;
  /** For each field when it last changed, as the number of the event. */
  readonly changed: ReadonlyMap<string, number>;
  /** The tie-break for records of a thread with the same time: the event that put the record there. */
  readonly place: number;
  /** The event that wrote this version. */
  readonly version: number;
  /** The fields whose vectors carried over from the previous version. */
  readonly carried: ReadonlySet<string>;
}

/** One write that had an effect. */
export interface WriteEvent {
  readonly ref: StoredRef;
  readonly before: Held | undefined;
  readonly after: Held | undefined;
  readonly emitted_at: string;
  readonly at: string;
}

/** A stream as far as a scope covers it. */
export interface Covered {
  readonly limits: StreamScope;
  readonly shape: StreamShape;
  readonly granted: ReadonlySet<string>;
  readonly records: readonly Held[];
}

export class Oracle {
  readonly events = new Map<string, WriteEvent[]>();
  /** Writes whose tombstones were deleted. */
  readonly forgotten = new Set<WriteEvent>();
  readonly #shapes: readonly StreamShape[];
  readonly #connections = new Map<string, string[]>();
  readonly #held = new Map<string, Map<string, Held>>();
  /** Up to which version the records of an owner have vectors, where they get them in the background. */
  readonly #embedded: Map<string, number> | undefined;

  constructor(manifest: Manifest, { embedsInBackground = false } = {}) {
    this.#shapes = manifest.streams.map(describeStream);
    this.#embedded = embedsInBackground ? new Map() : undefined;
  }

  /** Whether a field of a record has its vectors. */
  isEmbedded(owner_id: string, { version, carried }: Held, field: string): boolean {
    return !this.#embedded || version <= (this.#embedded.get(owner_id) ?? -1) || carried.has(field);
  }

  /** Gives the next `count` records of an owner their vectors. */
  embedNext(owner_id: string, count: number): void {
    const through = this.#embedded?.get(owner_id) ?? -1;
    const versions = this.recordsOf(owner_id).map(({ version }) => version);
    const next = versions.filter((version) => version > through).sort((a, b) => a - b);
    this.#embedded?.set(owner_id, next[count - 1] ?? through);
  }

  putConnection(owner_id: string, connection_id: string): void {
    this.#connections.set(owner_id, [...(this.#connections.get(owner_id) ?? []), connection_id].sort());
    if (!this.events.has(owner_id)) this.events.set(owner_id, []);
    if (!this.#held.has(owner_id)) this.#held.set(owner_id, new Map());
  }

  shapeOf(stream: string): StreamShape {
    return this.#shapes.find(({ name }) => name === stream) as StreamShape;
  }

  timeOf(stream: string, data: Readonly<Record<string, unknown>>): number | null {
    const time = this.shapeOf(stream).consent_time_field;
    return (time === undefined ? undefined : parseTimeMs(data[time])) ?? null;
  }

  /** Every record of an owner. */
  recordsOf(owner_id: string): Held[] {
    return [...(this.#held.get(owner_id)?.values() ?? [])];
  }

  eventsOf(owner_id: string): readonly WriteEvent[] {
    return this.events.get(owner_id) ?? [];
  }

  /** Applies a batch of valid records; returns the status of each. */
  ingest(owner_id: string, connection_id: string, batch: readonly RecordEnvelope[], at: string): string[] {
    return batch.map(({ stream, key, data, op, emitted_at }) => {
      const ref = { connection_id, stream, record_id: canonicalKey(key) };
      const before = this.find(owner_id, ref);
      if (op === "delete") {
        if (before) this.#write(owner_id, { ref, before, after: undefined, emitted_at, at });
        return before ? "deleted" : "unchanged";
      }
      if (before && JSON.stringify(before.data) === JSON.stringify(data)) return "unchanged";
      if (before && this.shapeOf(stream).semantics === "append_only") return "rejected";
      const after = this.#version(owner_id, ref, before, structuredClone(data) as Record<string, unknown>);
      this.#write(owner_id, { ref, before, after, emitted_at, at });
      return before ? "changed" : "added";
    });
  }

  /** Prunes the first `count` writes: drops deletions, and all writes of records that no longer exist. */
  forget(owner_id: string, count: number): void {
    for (const write of this.eventsOf(owner_id).slice(0, count)) {
      if (!write.after || !this.find(owner_id, write.ref)) this.forgotten.add(write);
    }
  }

  find(owner_id: string, ref: StoredRef): Held | undefined {
    return this.#held.get(owner_id)?.get(keyOf(ref));
  }

  /** Whether a version of a record is within the limits of a scope's stream, and belongs to a record within those of its parents. */
  covers(owner_id: string, held: Held, limits: StreamScope): boolean {
    const { connection_id } = limits;
    return (
      isWithin(held, limits, this.shapeOf(limits.stream)) &&
      (limits.within ?? []).every(({ foreign_key, ...parent }) => {
        const key = held.data[foreign_key];
        const record_id = String(key ?? "");
        if (record_id === "") return !selects(parent);
        const found = this.find(owner_id, { connection_id, stream: parent.stream, record_id });
        return found !== undefined && this.covers(owner_id, found, { connection_id, fields: [], ...parent });
      })
    );
  }

  /** The streams that a scope covers, in order, each with its records. */
  cover(scope: ReadScope): Covered[] {
    const connections = this.#connections.get(scope.owner_id) ?? [];
    return scope.streams
      .filter(({ connection_id, stream }) => connections.includes(connection_id) && this.shapeOf(stream))
      .sort((a, b) => compareText(a.connection_id, b.connection_id) || compareText(a.stream, b.stream))
      .map((limits) => {
        const shape = this.shapeOf(limits.stream);
        const granted = new Set(
          limits.fields.filter((field) => shape.fields.some(({ name }) => name === field)),
        );
        const records = this.recordsOf(scope.owner_id).filter((held) =>
          this.covers(scope.owner_id, held, limits),
        );
        return { limits, shape, granted, records };
      });
  }

  coverOne(scope: ReadScope, at: { connection_id: string; stream: string }): Covered | undefined {
    return this.cover(scope).find(
      ({ limits }) => limits.connection_id === at.connection_id && limits.stream === at.stream,
    );
  }

  locate(scope: ReadScope, stream: string, record_id: string): string[] {
    return this.cover(scope)
      .filter(
        ({ limits, records }) =>
          limits.stream === stream && records.some(({ ref }) => ref.record_id === record_id),
      )
      .map(({ limits }) => limits.connection_id);
  }

  /** The time of a record's newest change among granted fields. */
  emittedAt(owner_id: string, held: Held, granted: ReadonlySet<string>): string {
    const last = this.lastChange(held, granted);
    return (this.eventsOf(owner_id)[last] as WriteEvent).emitted_at;
  }

  lastChange(held: Held, granted: ReadonlySet<string>): number {
    const created = held.changed.get("") as number;
    const numbers = [...granted].map((field) => held.changed.get(field) ?? created);
    return numbers.length === 0 ? created : Math.max(...numbers);
  }

  describeStreams(scope: ReadScope): StreamFacts[] {
    return this.cover(scope).map(({ limits, shape, granted, records }) => {
      const times = records.flatMap(({ time_ms }) => (time_ms === null ? [] : [time_ms]));
      const seesTime = shape.consent_time_field !== undefined && granted.has(shape.consent_time_field);
      const newest = records.toSorted((a, b) => this.lastChange(b, granted) - this.lastChange(a, granted))[0];
      return {
        connection_id: limits.connection_id,
        stream: limits.stream,
        record_count: records.length,
        time_range:
          seesTime && times.length > 0
            ? { first_ms: Math.min(...times), last_ms: Math.max(...times) }
            : undefined,
        last_updated: newest && this.emittedAt(scope.owner_id, newest, granted),
      };
    });
  }

  /** The longest value of each granted field that has values too long for a row. */
  describeSizes(scope: ReadScope): FieldSize[] {
    return this.cover(scope).flatMap(({ limits, shape, granted, records }) => {
      const rowChars = Math.min(4_096, Math.floor(32_768 / shape.fields.length));
      return [...granted].sort(compareText).flatMap((field) => {
        const sizes = records.map(({ data }) => sizeOf(data[field])).filter((size) => size > rowChars);
        const { connection_id, stream } = limits;
        return sizes.length === 0
          ? []
          : [{ connection_id, stream, field, largest_chars: Math.max(...sizes) }];
      });
    });
  }

  #version(
    owner_id: string,
    ref: StoredRef,
    before: Held | undefined,
    data: Readonly<Record<string, unknown>>,
  ): Held {
    const number = this.eventsOf(owner_id).length;
    const changed = new Map(before?.changed ?? [["", number]]);
    if (before) for (const field of differingFields(before.data, data)) changed.set(field, number);
    const time_ms = this.timeOf(ref.stream, data);
    const thread = findThread(this.shapeOf(ref.stream), data);
    const stays = before?.time_ms === time_ms && findThread(this.shapeOf(ref.stream), before.data) === thread;
    const same = before
      ? this.shapeOf(ref.stream).fields.filter(({ name }) => changed.get(name) !== number)
      : [];
    const carried = same.filter(({ name }) => before && this.isEmbedded(owner_id, before, name));
    return {
      ref,
      data,
      time_ms,
      changed,
      place: stays ? before.place : number,
      version: number,
      carried: new Set(carried.map(({ name }) => name)),
    };
  }

  #write(owner_id: string, event: WriteEvent): void {
    this.events.get(owner_id)?.push(event);
    if (event.after) this.#held.get(owner_id)?.set(keyOf(event.ref), event.after);
    else this.#held.get(owner_id)?.delete(keyOf(event.ref));
  }
}

/** Whether limits select records rather than merely exclude some. */
function selects({ time, record_ids, where, within = [] }: Partial<StreamScope>): boolean {
  return [time, record_ids, where].some((limit) => limit !== undefined) || within.some(selects);
}

function isWithin({ ref, time_ms, data }: Held, limits: StreamScope, shape: StreamShape): boolean {
  if (ref.connection_id !== limits.connection_id || ref.stream !== limits.stream) return false;
  if (!meetsScope(shape, limits, { record_id: ref.record_id, data })) return false;
  if (limits.record_ids && !limits.record_ids.includes(ref.record_id)) return false;
  const { since_ms, until_ms } = limits.time ?? {};
  if (since_ms !== undefined && (time_ms === null || time_ms < since_ms)) return false;
  return until_ms === undefined || (time_ms !== null && time_ms < until_ms);
}

/** The top-level fields in which two versions differ. */
export function differingFields(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]));
}

/** The order of the texts' UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export function fieldOf(shape: StreamShape, name: string): FieldShape {
  return shape.fields.find((field) => field.name === name) as FieldShape;
}

function keyOf({ connection_id, stream, record_id }: StoredRef): string {
  return JSON.stringify([connection_id, stream, record_id]);
}

/** The length of a value's text; values that are neither text nor JSON have none. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return countChars(value);
  return value !== null && typeof value === "object" ? countChars(JSON.stringify(value)) : 0;
}
