/**
 * When each field of a record last changed. A scope sees the newest change among its own fields, so that a hidden field's
 * change affects neither times nor the list of changes.
 */

/** The last change of most fields, and those of the fields that differ. */
export interface Marks {
  readonly seq: number;
  readonly emitted_at: string;
  /** By field; absent fields have `seq` and `emitted_at`. */
  readonly others: Readonly<Record<string, readonly [seq: number, emitted_at: string]>>;
}

export function parseMarks(row: { seq: number; emitted_at: string; marks: string | null }): Marks {
  return {
    seq: row.seq,
    emitted_at: row.emitted_at,
    others: row.marks === null ? {} : JSON.parse(row.marks),
  };
}

/** The marks after `changed` fields changed at `seq`. */
export function advanceMarks(
  before: Marks,
  changed: readonly string[],
  seq: number,
  emitted_at: string,
): Marks {
  const others = { ...before.others };
  for (const field of changed) others[field] = [seq, emitted_at];
  return { ...before, others };
}

/** The newest change among `fields`. */
export function newestMark(marks: Marks, fields: Iterable<string>): { seq: number; emitted_at: string } {
  let newest = { seq: 0, emitted_at: marks.emitted_at };
  for (const field of fields) {
    const [seq, emitted_at] = Object.hasOwn(marks.others, field)
      ? (marks.others[field] as [number, string])
      : [marks.seq, marks.emitted_at];
    if (seq > newest.seq) newest = { seq, emitted_at };
  }
  return newest;
}

export function formatMarks(marks: Marks): string | null {
  return Object.keys(marks.others).length === 0 ? null : JSON.stringify(marks.others);
}
