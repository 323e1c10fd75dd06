/**
 * Inflected forms of words, by Snowball stemmers. English is always on. Other languages in Latin script are on where the
 * scope has their marker words (`index/language-markers.ts`); languages with their own script, for terms in that script.
 */

import { stemmer as stemEnglish } from "@orama/stemmers/english";
import type { FormFinder } from "@rungs/evidence";

type Stem = (term: string) => string;

interface Language {
  readonly load: () => Promise<{ readonly stemmer: Stem }>;
  readonly script?: RegExp;
}

const languages: Readonly<Record<string, Language>> = {
  danish: { load: () => import("@orama/stemmers/danish") },
  dutch: { load: () => import("@orama/stemmers/dutch") },
  finnish: { load: () => import("@orama/stemmers/finnish") },
  french: { load: () => import("@orama/stemmers/french") },
  german: { load: () => import("@orama/stemmers/german") },
  hungarian: { load: () => import("@orama/stemmers/hungarian") },
  indonesian: { load: () => import("@orama/stemmers/indonesian") },
  italian: { load: () => import("@orama/stemmers/italian") },
  norwegian: { load: () => import("@orama/stemmers/norwegian") },
  portuguese: { load: () => import("@orama/stemmers/portuguese") },
  romanian: { load: () => import("@orama/stemmers/romanian") },
  spanish: { load: () => import("@orama/stemmers/spanish") },
  swedish: { load: () => import("@orama/stemmers/swedish") },
  turkish: { load: () => import("@orama/stemmers/turkish") },
  arabic: { load: () => import("@orama/stemmers/arabic"), script: /^\p{Script=Arabic}+$/u },
  armenian: { load: () => import("@orama/stemmers/armenian"), script: /^\p{Script=Armenian}+$/u },
  greek: { load: () => import("@orama/stemmers/greek"), script: /^\p{Script=Greek}+$/u },
  russian: { load: () => import("@orama/stemmers/russian"), script: /^\p{Script=Cyrillic}+$/u },
  tamil: { load: () => import("@orama/stemmers/tamil"), script: /^\p{Script=Tamil}+$/u },
};

const LATIN = /^\p{Script=Latin}+$/u;
const MIN_CHARS = 3;

/** Every language in Latin script: for matching inside one record, without a partition to detect languages in. */
export const everyLanguage: readonly string[] = Object.keys(languages).filter(
  (name) => !languages[name]?.script,
);

const known = new Map<string, Promise<FormFinder>>();
const STEMS_KEPT = 50_000;

/** Loads the stemmers of some languages, those by script included. */
export function loadForms(names: readonly string[]): Promise<FormFinder> {
  const key = names.toSorted().join(" ");
  let forms = known.get(key);
  if (!forms) {
    forms = createForms(names);
    known.set(key, forms);
  }
  return forms;
}

async function createForms(names: readonly string[]): Promise<FormFinder> {
  const latin: Stem[] = [stemEnglish];
  for (const name of names) latin.push((await (languages[name] as Language).load()).stemmer);
  const others: { readonly script: RegExp; readonly stem: Stem }[] = [];
  for (const { script, load } of Object.values(languages))
    if (script) others.push({ script, stem: (await load()).stemmer });

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
    if (LATIN.test(term)) return latin;
    const own = others.find(({ script }) => script.test(term));
    return own ? [own.stem] : [];
  };
  const findPrefix = (term: string): string | undefined => {
    const ours = listStems(term);
    return ours.length === 0 ? undefined : term.slice(0, Math.min(...ours.map(prefixLength)));
  };
  return {
    findPrefix,
    isForm(term, wanted) {
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
