/**
 * Inflected forms of words, by Snowball stemmers and a list of irregular English words. English is always on. Other languages in Latin script are on where the
 * scope has their marker words (`index/language-markers.ts`); languages with their own script, for terms in that script.
 */

import { stemmer as stemArabic } from "@orama/stemmers/arabic";
import { stemmer as stemArmenian } from "@orama/stemmers/armenian";
import { stemmer as stemEnglish } from "@orama/stemmers/english";
import { stemmer as stemGreek } from "@orama/stemmers/greek";
import { stemmer as stemRussian } from "@orama/stemmers/russian";
import { stemmer as stemTamil } from "@orama/stemmers/tamil";
import type { FormFinder } from "@rungs/evidence";
import { listIrregularForms } from "./irregular-forms.ts";

type Stem = (term: string) => string;

/** Languages in Latin script, loaded when a scope has their text. */
const latin: Readonly<Record<string, () => Promise<{ readonly stemmer: Stem }>>> = {
  danish: () => import("@orama/stemmers/danish"),
  dutch: () => import("@orama/stemmers/dutch"),
  finnish: () => import("@orama/stemmers/finnish"),
  french: () => import("@orama/stemmers/french"),
  german: () => import("@orama/stemmers/german"),
  hungarian: () => import("@orama/stemmers/hungarian"),
  indonesian: () => import("@orama/stemmers/indonesian"),
  italian: () => import("@orama/stemmers/italian"),
  norwegian: () => import("@orama/stemmers/norwegian"),
  portuguese: () => import("@orama/stemmers/portuguese"),
  romanian: () => import("@orama/stemmers/romanian"),
  spanish: () => import("@orama/stemmers/spanish"),
  swedish: () => import("@orama/stemmers/swedish"),
  turkish: () => import("@orama/stemmers/turkish"),
};

/** Languages that have a script of their own. */
const scripts: readonly { readonly script: RegExp; readonly stem: Stem }[] = [
  { script: /^\p{Script=Arabic}+$/u, stem: stemArabic },
  { script: /^\p{Script=Armenian}+$/u, stem: stemArmenian },
  { script: /^\p{Script=Greek}+$/u, stem: stemGreek },
  { script: /^\p{Script=Cyrillic}+$/u, stem: stemRussian },
  { script: /^\p{Script=Tamil}+$/u, stem: stemTamil },
];

const LATIN = /^\p{Script=Latin}+$/u;
const MIN_CHARS = 3;

/** Every language in Latin script: for matching inside one record, without a partition to detect languages in. */
export const everyLanguage: readonly string[] = Object.keys(latin);

const STEMS_KEPT = 50_000;

/** Forms of English, and of the languages that have their own script. */
export const defaultForms: FormFinder = createForms([stemEnglish]);

const known = new Map<string, Promise<FormFinder>>([["", Promise.resolve(defaultForms)]]);

/** Forms of some languages in Latin script, beside the default ones. */
export function loadForms(names: readonly string[]): Promise<FormFinder> {
  const key = names.toSorted().join(" ");
  let forms = known.get(key);
  if (!forms) {
    forms = loadStemmers(names).then((stemmers) => createForms([stemEnglish, ...stemmers]));
    known.set(key, forms);
  }
  return forms;
}

async function loadStemmers(names: readonly string[]): Promise<Stem[]> {
  const stemmers: Stem[] = [];
  for (const name of names) {
    const load = latin[name];
    if (load) stemmers.push((await load()).stemmer);
  }
  return stemmers;
}

function createForms(latinStemmers: readonly Stem[]): FormFinder {
  const stems = new Map<string, readonly string[]>();
  const listStems = (term: string): readonly string[] => {
    let found = stems.get(term);
    if (!found) {
      if (stems.size >= STEMS_KEPT) stems.clear();
      found = term.length < MIN_CHARS ? [] : stemWith(stemmersFor(term), term);
      stems.set(term, found);
    }
    return found;
  };
  const stemmersFor = (term: string): readonly Stem[] => {
    if (LATIN.test(term)) return latinStemmers;
    const own = scripts.find(({ script }) => script.test(term));
    return own ? [own.stem] : [];
  };
  const findPrefix = (term: string): string | undefined => {
    const ours = listStems(term);
    return ours.length === 0 ? undefined : term.slice(0, Math.min(...ours.map(prefixLength)));
  };
  return {
    listPrefixes(term) {
      const regular = findPrefix(term);
      const irregular = listIrregularForms(term);
      return keepShortest([...(regular === undefined ? [] : [regular]), ...irregular]);
    },
    isForm(term, wanted) {
      if (term !== wanted && listIrregularForms(wanted).includes(term)) return true;
      const prefix = term === wanted ? undefined : findPrefix(wanted);
      // Most terms end here: stemming each of a long text would be slow.
      if (prefix === undefined || !term.startsWith(prefix)) return false;
      const theirs = listStems(term);
      return listStems(wanted).some(
        (stem, at) => stem === theirs[at] && sharesPrefix(term, wanted, prefixLength(stem)),
      );
    },
  };
}

/** Without those that begin with another. */
function keepShortest(prefixes: readonly string[]): string[] {
  const kept: string[] = [];
  for (const one of prefixes.toSorted((a, b) => a.length - b.length))
    if (!kept.some((prefix) => one.startsWith(prefix))) kept.push(one);
  return kept;
}

function stemWith(stemmers: readonly Stem[], term: string): string[] {
  return stemmers.map((stem) => stem(term));
}

/** Forms share all but the last letter of their stem (`happy`, `happiness`: stem `happi`). */
function prefixLength(stem: string): number {
  return Math.max(2, stem.length - 1);
}

function sharesPrefix(a: string, b: string, length: number): boolean {
  return a.length >= length && b.length >= length && a.slice(0, length) === b.slice(0, length);
}
