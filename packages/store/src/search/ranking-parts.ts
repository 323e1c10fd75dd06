/** Switches parts of ranking off, for measuring what each is worth. */
import type { FormFinder } from "@rungs/evidence";
import type { RankingParts } from "../store.ts";
import type { ScopedIndex } from "./scoped-index.ts";

export const everyPart: RankingParts = {
  word_frequency: true,
  forms: true,
  near_spellings: true,
  author: true,
  neighbours: true,
  meaning: true,
};

const noForms: FormFinder = { isForm: () => false, listPrefixes: () => [] };

/** The index without the forms and the authors, where those are off. */
export function limitIndex(index: ScopedIndex, { forms, author }: RankingParts): ScopedIndex {
  if (forms && author) return index;
  return {
    ...index,
    forms: forms ? index.forms : noForms,
    fields: author ? index.fields : index.fields.map((field) => ({ ...field, isAuthor: false })),
  };
}
