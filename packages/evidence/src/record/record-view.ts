/** A record as answers show it: every field bounded, every cut marked (R30, R31, R33, R34). */

import { formatFieldPath, parseFieldPath } from "../address/field-path.ts";
import { identifyRecord } from "../address/record-id.ts";
import type { RecordIdentity, RecordRef } from "../address/record-ref.ts";
import type { Continuation } from "../continuation.ts";
import { countJsonBytes, shareOut } from "../text/budget.ts";
import { blobRefSchema } from "./binary.ts";
import type { Role } from "./card.ts";
import { classifyValue } from "./field-kind.ts";
import {
  type FieldView,
  readFrom,
  shrinkFieldView,
  viewBinary,
  viewBlob,
  viewCut,
  viewText,
} from "./field-view.ts";
import { type FieldCut, type NestedStop, showJson } from "./nested.ts";

const ENCODED_SHOWN = 8;

/** What a manifest declares about a top-level field. */
export interface ViewedField {
  readonly name: string;
  readonly role?: Role | undefined;
  readonly media_type?: string | undefined;
  readonly encoding?: string | undefined;
}

/** A record as the store returns it: its granted data with long values cut to prefixes, and the cuts. */
export interface RecordSource {
  readonly ref: RecordRef;
  readonly data: Readonly<Record<string, unknown>>;
  readonly cuts: readonly FieldCut[];
  readonly shapes: readonly ViewedField[];
  readonly related?: RecordView["related"];
  /** The budget of all previews together, as JSON strings. */
  readonly budget_bytes: number;
}

/** A record as answers show it. */
export interface RecordView {
  readonly record: RecordIdentity;
  /** Fields with a declared role first, long ones last among them; a nested value that was cut or is binary follows the field that holds it. */
  readonly fields: readonly FieldView[];
  /** Records that belong to it, with the call that shows them. */
  readonly related?: readonly { readonly name: string; readonly read: Continuation }[] | undefined;
  /** Whether every field is shown whole. */
  readonly complete: boolean;
}

/**
 * The roles that answers list last, just before fields without a role: the others are short and identify the record.
 */
const LATE_ROLES: readonly (Role | undefined)[] = ["body", "thread", undefined];

/** The order in which answers list fields: those with a declared role first. */
export function orderFields(names: readonly string[], roleOf: (name: string) => Role | undefined): string[] {
  const rank = (name: string) => LATE_ROLES.indexOf(roleOf(name));
  return names.toSorted((a, b) => rank(a) - rank(b));
}

/** Creates the bounded view of a record. */
export function viewRecord({ ref, data, cuts, shapes, related, budget_bytes }: RecordSource): RecordView {
  const record = identifyRecord(ref);
  const cutAt = new Map(cuts.map((cut) => [cut.path, cut]));
  const shapeOf = new Map(shapes.map((shape) => [shape.name, shape]));
  const whole = orderFields(Object.keys(data), (name) => shapeOf.get(name)?.role).flatMap((name) =>
    viewField(record.id, name, data[name], cutAt, shapeOf.get(name)),
  );
  const shares = shareOut(
    whole.map((field) => countJsonBytes(field.preview)),
    budget_bytes,
  );
  const fields = whole.map((field, index) =>
    shrinkFieldView(field, record.id, shares[index]!, countJsonBytes),
  );
  return {
    record,
    fields,
    ...(related && { related }),
    complete: fields.every((field) => field.status === "complete"),
  };
}

function viewField(
  id: string,
  name: string,
  value: unknown,
  cuts: ReadonlyMap<string, FieldCut>,
  { role, media_type: mime_type, encoding }: Omit<ViewedField, "name"> = {},
): FieldView[] {
  const path = formatFieldPath([name]);
  const cut = cuts.get(path);
  if (cut?.binary) return [{ ...viewCut(id, cut), role }];
  const kind = classifyValue(cut?.prefix ?? value, { encoding, size_chars: cut?.size_chars });
  if (kind === "blob") return [{ ...viewBlob(path, blobRefSchema.parse(value)), role }];
  if (kind === "binary") {
    return [{ ...viewBinary(path, cut?.prefix ?? String(value), mime_type, cut), role }];
  }
  if (cut) return [{ ...viewCut(id, cut), role, mime_type }, ...viewEncodedInside(id, name, cuts)];
  if (kind !== "json") return [{ ...viewText(path, kind, String(value)), role, mime_type }];
  const { shown, stops, whole } = showJson(value, [name], cuts);
  const nested = stops.map((stop) => viewStop(id, stop));
  const view: FieldView = { ...viewText(path, kind, JSON.stringify(shown)), role, mime_type };
  if (whole) return [view, ...nested];
  const partial = {
    size_chars: undefined,
    size_bytes: undefined,
    next: nested.find((each) => each.next)?.next ?? readFrom(id, path, 0),
  };
  return [{ ...view, status: "truncated", ...partial }, ...nested];
}

/** The first strings inside a cut value that encode bytes; windows of the value have the calls for all such strings. */
function viewEncodedInside(id: string, name: string, cuts: ReadonlyMap<string, FieldCut>): FieldView[] {
  const inside = [...cuts.values()].filter(
    ({ path, binary }) => binary && parseFieldPath(path)?.[0] === name,
  );
  return inside.slice(0, ENCODED_SHOWN).map((cut) => viewCut(id, cut));
}

function viewStop(id: string, stop: NestedStop): FieldView {
  if (stop.kind === "blob") return viewBlob(stop.path, stop.blob);
  if (stop.kind === "binary") return viewBinary(stop.path, stop.text, undefined, stop.cut);
  return viewCut(id, stop.cut);
}
