/** Presents records as evidence: bounded fields and, where roles are declared, a card. */
import { type Continuation, createCard, type RoleFields, viewRecord } from "@rungs/evidence";
import type { OutgoingRecord } from "../record/record.ts";
import { restoreCuts } from "../record/record.ts";
import type { RenderOptions } from "./options.ts";
import { type PageRecord, type RecordPage, renderPage } from "./page.ts";
import { renderRecord } from "./record.ts";

const RECORD_PREVIEW_BYTES = 16_000;
const PAGE_PREVIEW_BYTES = 600;

/** Views a record with previews of at most `budget_bytes` together. */
export function presentRecord(record: OutgoingRecord, budget_bytes: number): PageRecord {
  const { connection_id, stream, id: record_id, shapes = [], related } = record;
  const ref = { connection_id, stream, record_id };
  const { data, cuts } = restoreCuts(record);
  const view = viewRecord({ ref, data, cuts, shapes, related, budget_bytes });
  return { view, card: createCard(groupByRole(shapes), data) };
}

/** Renders the answer of `fetch`. */
export function renderRecordAnswer(
  record: OutgoingRecord,
  call: Continuation,
  options: RenderOptions,
): string {
  const { connector_key, display_name, stream } = record;
  const { view } = presentRecord(record, RECORD_PREVIEW_BYTES);
  return renderRecord(view, [connector_key, display_name, stream], { ...options, call });
}

/** Renders the answer of `query_records`. */
export function renderPageAnswer(
  page: Omit<RecordPage, "records"> & { readonly data: readonly OutgoingRecord[] },
  call: Continuation,
  options: RenderOptions,
): string {
  const records = page.data.map((record) => presentRecord(record, PAGE_PREVIEW_BYTES));
  return renderPage({ ...page, records }, call, options);
}

function groupByRole(shapes: NonNullable<OutgoingRecord["shapes"]>): RoleFields {
  const roles = Map.groupBy(shapes, ({ role }) => role ?? "none");
  return Object.fromEntries([...roles].map(([role, group]) => [role, group.map(({ name }) => name)]));
}
