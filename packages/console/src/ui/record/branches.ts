/** The branches of a conversation: several records that answer the same one. */
import type { OutgoingRecord } from "@rungs/contract";

/** Where a record is in the branches. */
export interface Branch {
  /** Which of the answers to one record it is, from 1, and how many there are; absent for the only answer. */
  readonly number?: number;
  readonly of?: number;
  /** It neither leads to the record in question nor follows from it. */
  readonly is_aside: boolean;
}

/** The branches by the handles of their records. */
export type Branches = ReadonlyMap<string, Branch>;

/** Finds the branches among the records of a thread, by the role `parent`; empty where none is declared. */
export function findBranches(records: readonly OutgoingRecord[], anchor: string): Branches {
  const parents = new Map(records.map((record) => [record.id, findParent(record)]));
  if (![...parents.values()].some((parent) => parent !== undefined)) return new Map();
  const answers = Map.groupBy(records, ({ id }) => parents.get(id) ?? "");
  const start = records.find(({ handle }) => handle === anchor)?.id ?? "";
  const ancestors = listAncestors(start, parents);
  return new Map(
    records.map(({ id, handle }) => {
      const siblings = answers.get(parents.get(id) ?? "") ?? [];
      const number = siblings.findIndex((each) => each.id === id) + 1;
      const is_aside = !ancestors.has(id) && !listAncestors(id, parents).has(start);
      const isOne = siblings.length < 2 || parents.get(id) === undefined;
      return [handle, { is_aside, ...(isOne ? {} : { number, of: siblings.length }) }];
    }),
  );
}

function findParent({ shapes = [], data }: OutgoingRecord): string | undefined {
  const field = shapes.find(({ role }) => role === "parent")?.name;
  const value = field === undefined ? undefined : data[field];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A record and those that it follows from. Ends at a record that answers itself. */
function listAncestors(id: string, parents: ReadonlyMap<string, string | undefined>): Set<string> {
  const found = new Set<string>();
  for (let at: string | undefined = id; at !== undefined && !found.has(at); at = parents.get(at))
    found.add(at);
  return found;
}
