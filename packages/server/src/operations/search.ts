import { clampLimit, SEARCH_PAGE } from "@rungs/contract";
import { requireQuery, type SearchPage } from "@rungs/evidence";
import type { AuditedRead } from "../access/audit-log.ts";
import { createPager } from "../cursor/page-cursor.ts";
import { searchPages } from "../cursor/page-kinds.ts";
import { requireScope } from "../records/target.ts";
import { describeHit } from "../search/search-hit.ts";
import { listUnsearched } from "../search/unsearched.ts";
import type { Handler } from "./handler.ts";

/** `search`: the records that answer a question best, with proven evidence (R10–R18, R60–R63). */
export const handleSearch: Handler<"search"> = async ({ settings, authority, input, path, now_ms }) => {
  const { q, stream, connection_id } = input;
  const query = requireQuery(q);
  const scope = requireScope(authority, { stream, connection_id });
  const asked = [authority.grant_key, q, stream, connection_id];
  const pager = createPager(searchPages, asked, { sealer: settings.sealer, now_ms });
  const { limit, warnings } = clampLimit(input.limit, SEARCH_PAGE);
  const after = input.cursor === undefined ? undefined : pager.open(input.cursor);

  const found = await settings.store.search(scope, { query, limit, after });
  const last = found.hits.at(-1);
  const data = found.hits.map((hit) => describeHit(hit, authority.sources, authority.scope, query));
  const not_searched = listUnsearched(scope, authority.sources);
  const body: SearchPage = {
    object: "list",
    url: path,
    data,
    has_more: found.has_more,
    ...(found.has_more && last ? { next_cursor: pager.seal(last.position) } : {}),
    meta: {
      count: found.count,
      count_with_all_words: found.count_all,
      words: found.words.map(({ text, need, count, widened }) => ({
        word: text,
        need,
        count,
        ...(widened && { widened_to: [...widened] }),
      })),
      count_accuracy: "exact",
      recall: {
        complete: true,
        ranking_scope: "all_matches",
        truncated: false,
        ...(not_searched.length === 0 ? {} : { not_searched }),
      },
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
  return {
    kind: "json",
    body,
    reads: [{ stream, connection_id, records: data.length }, ...data.flatMap(listReads)],
  };
};

/** Each piece of text that a hit shows is recorded as a separate read (R55). */
function listReads({
  connection_id,
  stream,
  record_id,
  evidence,
}: SearchPage["data"][number]): AuditedRead[] {
  const record = { connection_id, stream, record_id };
  if (evidence.length === 0) return [record];
  return evidence.map(({ field_path: field, preview_start_chars, preview_end_chars }) => ({
    ...record,
    field,
    range_start: preview_start_chars,
    range_end: preview_end_chars,
  }));
}
