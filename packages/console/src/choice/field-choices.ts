/** The values to narrow a stream by: conversations, people, labels, with counts. By roles, never by field names. */
import { type Condition, type ConditionValue, presentRecord, recordSchema } from "@rungs/contract";
import { type CountedValue, type GrantableStream, listFieldValues } from "@rungs/server";
import type { OwnerRequest } from "../request/console-request.ts";

/** One value to choose, in its familiar form. */
export interface Choice {
  readonly value: ConditionValue;
  readonly label: string;
  readonly record_count?: number | undefined;
}

/** The values of one field. */
export interface FieldChoices {
  readonly field: string;
  readonly label: string;
  /** `not`: the picked values are left out. */
  readonly mode: "only" | "not";
  readonly picked: readonly Choice[];
  readonly offered: readonly Choice[];
  /** How many more values there are. */
  readonly more_count: number;
  /** False if there are too many records to count: the owner types a search instead. */
  readonly is_counted: boolean;
}

const OFFERED = 5;
const FOUND = 8;
/** A field with a different value in nearly every record is an identifier, and no use for choosing. */
const OWN_VALUES = { share: 0.8, values: 20 } as const;
const MAILBOX = /^\s*"?(?<name>[^"<>]*?)"?\s*<(?<address>[^<>\s]+)>\s*$/u;
const ROLE_LABELS: Readonly<Record<string, string>> = {
  thread: "Conversation",
  actor: "Person",
  recipient: "Recipient",
};

interface StreamPlace {
  readonly connection_id: string;
  readonly stream: string;
}

/** Lists the values of each field that the stream can be narrowed by; with `find`, those that have it. */
export async function listFieldChoices(
  request: OwnerRequest,
  place: StreamPlace,
  { selectable }: Pick<GrantableStream, "selectable">,
  { where, find }: { readonly where: readonly Condition[]; readonly find: string },
): Promise<FieldChoices[]> {
  const hits = find === "" ? [] : await findRecords(request, place, find);
  const found: FieldChoices[] = [];
  for (const { name: field, role } of selectable) {
    const { values, is_counted } = await listFieldValues(request.context, { ...place, field });
    const picks = readPicked(where, field);
    const isThread = role === "thread";
    if (is_counted && picks.values.length === 0 && !isThread && isIdentifying(values)) continue;
    const known = isThread ? values : mergeMailboxes(values);
    const label = ROLE_LABELS[role ?? ""] ?? field.replaceAll("_", " ");
    const sameRole = selectable.filter((each) => each.role === role).length > 1;
    const wanted = chooseOffered({ known, hits, field, find, isThread }).filter(
      ({ value }) => !picks.values.includes(value),
    );
    const offered = wanted.slice(0, find === "" ? OFFERED : FOUND);
    if (offered.length + picks.values.length === 0 && is_counted) continue;
    const name = (each: Counted) => nameChoice(request, { ...place, field, isThread }, each);
    found.push({
      field,
      label: sameRole && role !== undefined ? `${label} (${field})` : label,
      mode: picks.mode,
      picked: await Promise.all(picks.values.map((value) => name(findCounted(known, value)))),
      offered: await Promise.all(offered.map(name)),
      more_count: Math.max(0, (find === "" ? known.length : wanted.length) - offered.length),
      is_counted,
    });
  }
  return found.toSorted((a, b) => rank(a, selectable) - rank(b, selectable));
}

type Counted = Omit<Choice, "label"> & { readonly label?: string | undefined };

/** Conversations and people first, then the fields in order of declaration. */
function rank({ field }: FieldChoices, selectable: GrantableStream["selectable"]): number {
  const role = selectable.find(({ name }) => name === field)?.role ?? "";
  const at = Object.keys(ROLE_LABELS).indexOf(role);
  return at === -1 ? 9 : at;
}

function isIdentifying(values: readonly CountedValue[]): boolean {
  const records = values.reduce((sum, { record_count }) => sum + record_count, 0);
  return values.length > OWN_VALUES.values && values.length > records * OWN_VALUES.share;
}

/** The conditions on a field that are choices of values; others are shown as they are. */
export function readPicked(
  where: readonly Condition[],
  field: string,
): { readonly mode: "only" | "not"; readonly values: readonly ConditionValue[] } {
  const picked = where.find((each) => each.field === field && isPick(each));
  if (!picked) return { mode: "only", values: [] };
  if (picked.op === "not_in") return { mode: "not", values: picked.values };
  return {
    mode: "only",
    values: picked.op === "in" ? picked.values : "value" in picked ? [picked.value] : [],
  };
}

/** Whether a condition is a choice of values. */
export function isPick({ op }: Condition): boolean {
  return op === "equals" || op === "in" || op === "not_in";
}

/** A person has one address and many spellings: the address is chosen, and the name is shown. */
function mergeMailboxes(values: readonly CountedValue[]): Counted[] {
  const merged = new Map<ConditionValue, Counted>();
  const names = new Set<string>();
  for (const { value, record_count } of values) {
    const { name, address } = MAILBOX.exec(String(value))?.groups ?? {};
    if (address === undefined || typeof value !== "string") {
      const old = merged.get(value);
      merged.set(value, { ...old, value, record_count: Math.max(old?.record_count ?? 0, record_count) });
      continue;
    }
    if (name) names.add(name);
    const old = merged.get(address);
    merged.set(address, {
      value: address,
      label: old?.label ?? (name ? `${name} <${address}>` : address),
      record_count: (old?.label === undefined ? 0 : (old.record_count ?? 0)) + record_count,
    });
  }
  for (const name of names) merged.delete(name);
  return [...merged.values()].sort((a, b) => (b.record_count ?? 0) - (a.record_count ?? 0));
}

interface Offering {
  readonly known: readonly Counted[];
  readonly hits: readonly Readonly<Record<string, unknown>>[];
  readonly field: string;
  readonly find: string;
  readonly isThread: boolean;
}

/** Values that contain the text, then values of records that a search for it found. */
function chooseOffered({ known, hits, field, find, isThread }: Offering): Counted[] {
  if (find === "") return [...known];
  const text = find.toLowerCase();
  const named = known.filter(({ value, label }) => (label ?? String(value)).toLowerCase().includes(text));
  const ofHits = hits
    .flatMap((data) => [data[field]].flat())
    .filter((value) => typeof value === "string" && value !== "")
    .filter((value) => isThread || (known.length === 0 && String(value).toLowerCase().includes(text)))
    .map((value) => findCounted(known, String(value)));
  const all = [...named, ...ofHits];
  return all.filter(({ value }, at) => all.findIndex((each) => each.value === value) === at);
}

function findCounted(known: readonly Counted[], value: ConditionValue): Counted {
  return known.find((each) => each.value === value) ?? { value };
}

/** A conversation is named after the title of its first record. */
async function nameChoice(
  { client }: OwnerRequest,
  { connection_id, stream, field, isThread }: StreamPlace & { field: string; isThread: boolean },
  { value, label, record_count }: Counted,
): Promise<Choice> {
  const plain = { value, label: label ?? String(value), record_count };
  if (!isThread || value === "") return plain;
  const filter = [`${field}=${value}`];
  const page = await client
    .call("query_records", { connection_id, stream, filter, order: "asc", view: "preview", limit: 1 })
    .catch(() => undefined);
  const [first] = page?.data ?? [];
  const title = first && presentRecord(recordSchema.parse(first), 0).card.title;
  return { ...plain, label: title ?? plain.label };
}

/** The records that a search finds, by the same call that agents get; the last word may be unfinished. */
async function findRecords(
  { client }: OwnerRequest,
  { connection_id, stream }: StreamPlace,
  find: string,
): Promise<Record<string, unknown>[]> {
  const where = { connection_id: [connection_id], stream: [stream] };
  const q = /[\p{L}\p{N}]$/u.test(find) ? `${find}*` : find;
  const page = await client.call("search", { ...where, q, limit: 20 }).catch(() => undefined);
  const records = await Promise.all(
    (page?.data ?? [])
      .slice(0, FOUND)
      .map(({ record_id }) =>
        client
          .call("fetch", { connection_id, stream, id: record_id, view: "preview" })
          .catch(() => undefined),
      ),
  );
  return records.flatMap((record) => (record ? [record.data as Record<string, unknown>] : []));
}
