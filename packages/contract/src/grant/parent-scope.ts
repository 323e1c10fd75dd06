/** Narrows records that belong to others, such as attachments, to those whose parents a scope covers (R80, R81). */
import type { StreamShape } from "../manifest/stream-shape.ts";
import type { ParentScope, ReadScope, StreamScope } from "./read-scope.ts";

/** How deep parents have parents: attachments, messages, conversations, accounts. */
const MAX_DEPTH = 4;

interface Lookups {
  readonly findShape: (connection_id: string, stream: string) => StreamShape | undefined;
  /** What the owner's exclusions hide of a stream. */
  readonly findNever: (entry: StreamScope, shape: StreamShape) => StreamScope["never"];
}

/**
 * Adds to each stream what its records' parents must be. The grant limits a parent's stream if it names it; the owner's exclusions
 * limit it in any case. A record may belong to one of its stream, such as a page inside of a page: that narrows nothing.
 */
export function narrowChildren(scope: ReadScope, lookups: Lookups): ReadScope {
  const streams = scope.streams.map((entry) => {
    const within = listParents(entry, scope, lookups, [entry.stream]);
    return within.length === 0 ? entry : { ...entry, within };
  });
  return { ...scope, streams };
}

function listParents(
  { connection_id, stream }: StreamScope,
  scope: ReadScope,
  lookups: Lookups,
  path: readonly string[],
): ParentScope[] {
  const parents = lookups.findShape(connection_id, stream)?.parents ?? [];
  if (path.length > MAX_DEPTH) return [];
  return parents.flatMap(({ stream: parent, foreign_key }) => {
    const shape = path.includes(parent) ? undefined : lookups.findShape(connection_id, parent);
    if (!shape) return [];
    const granted = scope.streams.find(
      (each) => each.connection_id === connection_id && each.stream === parent,
    );
    const entry: StreamScope = granted ?? { connection_id, stream: parent, fields: [] };
    const { time, record_ids, where } = entry;
    const never = lookups.findNever(entry, shape);
    const within = listParents(entry, scope, lookups, [...path, parent]);
    const limits = {
      ...(time ? { time } : {}),
      ...(record_ids ? { record_ids } : {}),
      ...(where ? { where } : {}),
      ...(never ? { never } : {}),
      ...(within.length > 0 ? { within } : {}),
    };
    return Object.keys(limits).length === 0 ? [] : [{ foreign_key, stream: parent, ...limits }];
  });
}

/** Whether a record without a parent is outside: the grant selects parents, and does not only leave some out. */
export function needsParent({ time, record_ids, where, within = [] }: ParentScope): boolean {
  return (time ?? record_ids ?? where) !== undefined || within.some(needsParent);
}
