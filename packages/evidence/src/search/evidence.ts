/** Evidence: a match and the bounded piece of text that shows it, with nearby matches and context on both sides (R10). */
import { z } from "zod";
import { formatRecordId } from "../address/record-id.ts";
import type { RecordRef } from "../address/record-ref.ts";
import { continuationSchema } from "../continuation.ts";
import { countChars, unitOfChar } from "../text/code-points.ts";
import { findBorderAfter, findBorderBefore } from "../text/graphemes.ts";
import { type Match, matchSchema } from "../text/match.ts";
import type { CharRange } from "../window/window-request.ts";

/**
 * Why a piece of text is shown. `lexical_match`: words of the query are in it. `similar_passage`: none are, but it is similar
 * in meaning (R64). `context`: no word that decides is in it; it is the body of a record found by its author, its title or its
 * neighbours.
 */
export const provenanceSchema = z.enum(["lexical_match", "similar_passage", "context"]);

/** Why a piece of text is shown. */
export type Provenance = z.infer<typeof provenanceSchema>;

/** A proven match: the bounded piece of a field that shows it, and the call that reads around it (R10, R11). */
export const evidenceSchema = z.looseObject({
  field_path: z.string(),
  /** The declared media type of the field. */
  mime_type: z.string().optional(),
  preview: z.string(),
  preview_start_chars: z.int().min(0),
  preview_end_chars: z.int().min(0),
  matches: z.array(matchSchema),
  size_chars: z.int().min(0),
  truncated: z.boolean(),
  digest: z.string(),
  provenance: provenanceSchema,
  read: continuationSchema.extend({ operation: z.literal("read_record_field") }),
});

/** A proven match and the bounded piece of text that shows it. */
export type Evidence = z.infer<typeof evidenceSchema>;

/** What a store proved: matches in the stored text of a field, and a slice of that text around them. */
export interface Proof {
  /** A match by default. */
  readonly provenance?: Provenance;
  readonly field_path: string;
  readonly mime_type?: string | undefined;
  readonly size_chars: number;
  readonly digest: string;
  readonly text: string;
  readonly text_start_chars: number;
  readonly matches: readonly Match[];
}

const READ_BEFORE_CHARS = 256;
const MAX_MATCHES = 20;

/** Turns a proof into evidence of at most `preview_chars`, with the call that reads a window around it. */
export function createEvidence(
  ref: RecordRef,
  proof: Proof,
  { preview_chars }: { readonly preview_chars: number },
): Evidence {
  const { field_path, mime_type, size_chars, digest, provenance = "lexical_match" } = proof;
  const preview = cutPreview({ ...proof, preview_chars });
  const args = {
    id: formatRecordId(ref),
    field_path,
    // No limit: the default window fits every host, whatever its text.
    offset_chars:
      provenance === "similar_passage"
        ? proof.text_start_chars
        : Math.max(0, preview.preview_start_chars - READ_BEFORE_CHARS),
  };
  return {
    field_path,
    ...(mime_type === undefined ? {} : { mime_type }),
    preview: preview.preview,
    preview_start_chars: preview.preview_start_chars,
    preview_end_chars: preview.preview_end_chars,
    matches: listMatches(proof.matches, preview.matches),
    size_chars,
    truncated: preview.truncated,
    digest,
    provenance,
    read: { operation: "read_record_field", args },
  };
}

// Matches outside the preview are offsets to read at (R23).
function listMatches(proven: readonly Match[], shown: readonly Match[]): Match[] {
  const others = proven.filter((match) => !shown.includes(match));
  return [...shown, ...others].slice(0, MAX_MATCHES).sort((a, b) => a.start_chars - b.start_chars);
}

/** A slice of a field with the matches proven in it; the preview must show the first match. */
export interface PreviewSource {
  readonly text: string;
  readonly text_start_chars: number;
  readonly size_chars: number;
  readonly matches: readonly Match[];
  readonly preview_chars: number;
}

/** A preview, its range in the field, and the matches that it shows. */
export interface Preview {
  readonly preview: string;
  readonly preview_start_chars: number;
  readonly preview_end_chars: number;
  readonly matches: Match[];
  /** Whether the field has more text than the preview. */
  readonly truncated: boolean;
}

const WORD_BORDER_UNITS = 16;
const WORD_START = /\s(?=[^\s\p{M}])/u;
const WORD_END = /\S(?=\s)/gu;

/** Cuts the piece with the first match and as many others as fit. A match that is too long is cut to a prefix. */
export function cutPreview({
  text,
  text_start_chars,
  size_chars,
  matches,
  preview_chars,
}: PreviewSource): Preview {
  const slice = { start_chars: text_start_chars, end_chars: text_start_chars + countChars(text) };
  const seen = matches.filter(
    (match) => match.start_chars >= slice.start_chars && match.start_chars < slice.end_chars,
  );
  const cluster = findCluster(seen, preview_chars) ?? { ...slice, end_chars: slice.start_chars };
  const aim = centre(cluster, preview_chars, slice);
  const unitAt = (chars: number) => unitOfChar(text, chars - text_start_chars);
  const [from, to] = [unitAt(aim.start_chars), unitAt(aim.end_chars)];
  const start = aim.start_chars === 0 ? from : snapStart(text, from, unitAt(cluster.start_chars));
  const end = aim.end_chars === size_chars ? to : snapEnd(text, start, to, unitAt(cluster.end_chars));
  const preview_start_chars = aim.start_chars + countChars(text.slice(from, start));
  const preview_end_chars = aim.end_chars - countChars(text.slice(end, to));
  return {
    preview: text.slice(start, end),
    preview_start_chars,
    preview_end_chars,
    matches: listShown(seen, { start_chars: preview_start_chars, end_chars: preview_end_chars }),
    truncated: preview_start_chars > 0 || preview_end_chars < size_chars,
  };
}

// At least a quarter of the preview is context, unless the first match needs it.
function findCluster(matches: readonly Match[], preview_chars: number): CharRange | undefined {
  const [first] = matches;
  if (!first) return undefined;
  const length = first.end_chars - first.start_chars;
  if (length > preview_chars) return { start_chars: first.start_chars, end_chars: first.start_chars };
  const room = Math.max(length, Math.floor((preview_chars * 3) / 4));
  const near = matches.filter(
    (match) => first.end_chars - match.start_chars <= room && match.end_chars - first.start_chars <= room,
  );
  let best = [first];
  for (const { start_chars } of near) {
    if (start_chars > first.start_chars) continue;
    const inside = near.filter(
      (match) => match.start_chars >= start_chars && match.end_chars <= start_chars + room,
    );
    if (inside.length > best.length) best = inside;
  }
  return {
    start_chars: Math.min(...best.map((match) => match.start_chars)),
    end_chars: Math.max(...best.map((match) => match.end_chars)),
  };
}

// An empty cluster is the prefix of a match that is longer than the preview, or the start of the slice.
function centre(cluster: CharRange, preview_chars: number, slice: CharRange): CharRange {
  const { start_chars, end_chars } = cluster;
  if (start_chars === end_chars) {
    return { start_chars, end_chars: Math.min(slice.end_chars, start_chars + preview_chars) };
  }
  const before = Math.floor((preview_chars - (end_chars - start_chars)) / 2);
  const end = Math.min(slice.end_chars, Math.max(slice.start_chars, start_chars - before) + preview_chars);
  return { start_chars: Math.max(slice.start_chars, end - preview_chars), end_chars: end };
}

// Keep some context: cut at a word border only if a word remains between it and the cluster.
function snapStart(text: string, from: number, cluster: number): number {
  const word = WORD_START.exec(text.slice(from, Math.min(from + WORD_BORDER_UNITS + 1, cluster)));
  const isWordStart = from > 0 && /\s/.test(text.charAt(from - 1));
  if (word && !isWordStart) return from + word.index + 1;
  return findBorderAfter(text, from, cluster) ?? from;
}

function snapEnd(text: string, start: number, to: number, cluster: number): number {
  const lowest = Math.max(cluster, to - WORD_BORDER_UNITS, start);
  const word = [...text.slice(lowest, to + 1).matchAll(WORD_END)].at(-1);
  if (word) return lowest + word.index + word[0].length;
  const border = findBorderBefore(text, to, start);
  return border !== undefined && border >= cluster ? border : to;
}

function listShown(matches: readonly Match[], shown: CharRange): Match[] {
  return matches
    .filter(
      (match, number) =>
        match.start_chars >= shown.start_chars && (number === 0 || match.end_chars <= shown.end_chars),
    )
    .sort((a, b) => a.start_chars - b.start_chars || a.end_chars - b.end_chars);
}
