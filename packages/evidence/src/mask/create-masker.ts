/** Replaces the values that a grant masks by tokens such as `[phone-kdrtwbnz]` (R82). */
import { findEmails } from "./email.ts";
import { foldForDetection, stripHidden } from "./fold.ts";
import type { Detector } from "./found-value.ts";
import type { MaskKind, MaskRules } from "./mask-rules.ts";
import { findNationalIds } from "./national-id.ts";
import { createExpressionDetector, createWordDetector } from "./own-values.ts";
import { findCards, findIbans } from "./payment.ts";
import { findPhones } from "./phone.ts";
import { findSecrets } from "./secret.ts";
import { findAddresses } from "./street-address.ts";

/**
 * The code of a value in its token: a keyed hash, so that one value always gets the same code and the code says nothing about
 * the value. All codes are of one length.
 */
export type ComputeCode = (kind: string, value: string) => string;

/** Masks a text. Time is linear in its length. */
export type MaskText = (text: string) => string;

/** In the order of their names in tokens: of two values that overlap, the token names the kind listed first. */
const detectors: Readonly<Record<MaskKind, Detector>> = {
  secret: findSecrets,
  iban: findIbans,
  card: findCards,
  national_id: findNationalIds,
  email: findEmails,
  phone: findPhones,
  address: findAddresses,
};

interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
  readonly value: string;
}

export function createMasker(rules: MaskRules, computeCode: ComputeCode): MaskText {
  const { kinds = [], words = [], expressions = [] } = rules;
  const findWords = createWordDetector(words);
  const own = expressions.map(createExpressionDetector);
  const chosen = Object.entries(detectors).filter(([kind]) => kinds.includes(kind as MaskKind));
  return (text) => {
    const stripped = stripHidden(text);
    const folded = chosen.length === 0 ? "" : foldForDetection(stripped.text);
    const found: Span[] = [
      ...[findWords, ...own].flatMap((find) =>
        find(stripped.text).map((each) => ({ ...each, kind: "word" })),
      ),
      ...chosen.flatMap(([kind, find]) => find(folded).map((each) => ({ ...each, kind: nameKind(kind) }))),
    ];
    if (found.length === 0) return text;
    const spans = mergeOverlaps(found).map(({ start, end, ...rest }) => ({
      ...rest,
      start: stripped.findUnit(start),
      end: stripped.findUnit(end - 1) + 1,
    }));
    return replaceSpans(text, spans, computeCode);
  };
}

/** A token's kind is one word. */
function nameKind(kind: string): string {
  return kind === "national_id" ? "id" : kind;
}

/** Values that overlap are masked as one, so that no part of either is left. */
function mergeOverlaps(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  // A stable sort: of equal starts, the kind that was looked for first comes first.
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (!last || span.start >= last.end) merged.push(span);
    else if (span.end > last.end)
      merged[merged.length - 1] = { ...last, end: span.end, value: `${last.value} ${span.value}` };
  }
  return merged;
}

function replaceSpans(text: string, spans: readonly Span[], computeCode: ComputeCode): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, kind, value } of spans) {
    pieces.push(text.slice(from, start), `[${kind}-${computeCode(kind, value)}]`);
    from = end;
  }
  return [...pieces, text.slice(from)].join("");
}
