import { z } from "zod";
import { formatRecordId } from "../address/record-id.ts";
import type { RecordRef } from "../address/record-ref.ts";
import { continuationSchema } from "../continuation.ts";
import { type Match, matchSchema } from "../text/match.ts";
import { cutPreview } from "./preview.ts";

/**
 * Why a piece of text is shown. `lexical_match`: words of the query are in it. `similar_passage`: none is, but it is similar
 * in meaning (R64). `context`: none that decides is; it is the body of a record that was found by its author, its title or its neighbours.
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
  /** A match when left out. */
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
    // Without a limit: the default window fits every host, whatever its text.
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
