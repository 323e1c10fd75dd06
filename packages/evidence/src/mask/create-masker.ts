/** Replaces the values that a grant masks by tokens such as `[phone-kdrtwbnz]` (R82). */
import { findEmails } from "./email.ts";
import { foldForDetection, type RewrittenText, readAsSeen } from "./fold.ts";
import type { Detector, FoundValue } from "./found-value.ts";
import type { MaskKind, MaskRules } from "./mask-rules.ts";
import { findLabelledIds, findNationalIds } from "./national-id.ts";
import { createExpressionDetector, createWordDetector } from "./own-values.ts";
import { findCards, findIbans } from "./payment.ts";
import { findLabelledPhones, findPhones } from "./phone.ts";
import { findLabelledSecret, findSecrets } from "./secret.ts";
import { findAddresses } from "./street-address.ts";

/**
 * The code of a value in its token: a keyed hash, so that a value always gets the same code and the code reveals
 * nothing about it. All codes have the same length.
 */
export type ComputeCode = (kind: string, value: string) => string;

/** Masks a text, which may be the value of a member that `label` names. Time is linear in its length. */
export type MaskText = (text: string, label?: string) => string;

/** Finds values that only their member's name identifies. */
type LabelledDetector = (label: string, text: string) => FoundValue[];

/** In order of precedence: where two values overlap, the token names the kind listed first. */
const detectors: Readonly<Record<MaskKind, Detector>> = {
  secret: findSecrets,
  iban: findIbans,
  card: findCards,
  national_id: findNationalIds,
  email: findEmails,
  phone: findPhones,
  address: findAddresses,
};

const labelledDetectors: Partial<Record<string, LabelledDetector>> = {
  secret: findLabelledSecret,
  phone: findLabelledPhones,
  national_id: findLabelledIds,
};
/** Longer values are texts, and the detectors read those. */
const LABELLED_UNITS = 256;

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
  return (text, label) => {
    const folded = foldForDetection(text);
    const seen = own.length === 0 ? folded : readAsSeen(text);
    const wordsOf = (found: FoundValue[]) => found.map((each) => ({ ...each, kind: "word" }));
    const inFolded: Span[] = [
      ...wordsOf(findWords(folded.text)),
      ...wordsOf(own.flatMap((find) => find(folded.text))),
      ...chosen.flatMap(([kind, find]) => {
        const found = find(folded.text);
        if (label !== undefined && text.length <= LABELLED_UNITS)
          found.push(...(labelledDetectors[kind]?.(label, folded.text) ?? []));
        return found.map((each) => ({ ...each, kind: nameKind(kind) }));
      }),
    ];
    const inSeen = seen.text === folded.text ? [] : wordsOf(own.flatMap((find) => find(seen.text)));
    if (inFolded.length + inSeen.length === 0) return text;
    const spans = [...locateSpans(inFolded, folded), ...locateSpans(inSeen, seen)];
    return replaceSpans(text, mergeOverlaps(spans), computeCode);
  };
}

function locateSpans(spans: readonly Span[], { findStart, findEnd }: RewrittenText): Span[] {
  return spans.map((span) => ({ ...span, start: findStart(span.start), end: findEnd(span.end) }));
}

/** A token's kind is one word. */
function nameKind(kind: string): string {
  return kind === "national_id" ? "id" : kind;
}

/** Masks overlapping values as one, so that no part of either remains. */
function mergeOverlaps(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  // A stable sort keeps the precedence of kinds among equal starts.
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
