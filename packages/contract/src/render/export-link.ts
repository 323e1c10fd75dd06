import { type Continuation, foldToLine } from "@rungs/evidence";
import type { exportLinkOperation } from "../operations/export-link.ts";
import type { OutputOf } from "../operations/operation.ts";

const STREAMS_SHOWN = 20;

/** Renders a download link: what it holds, and that it is for the person. */
export function renderExportLink(
  { url, expires_at, streams }: OutputOf<typeof exportLinkOperation>,
  _call: Continuation,
): string {
  const names = streams.map(({ connection_id, stream }) => `${connection_id}/${stream}`);
  const more = names.length > STREAMS_SHOWN ? ` and ${names.length - STREAMS_SHOWN} more` : "";
  return [
    url,
    `Give this link to the person: it downloads ${foldToLine(names.slice(0, STREAMS_SHOWN).join(", "))}${more}, one record on each line (NDJSON).`,
    `It works once, until ${expires_at}, and only as long as the grant. Do not open it yourself.`,
  ].join("\n");
}
