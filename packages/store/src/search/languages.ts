/**
 * Inflected forms of words, by Snowball stemmers. English is always on. Other languages in Latin script are on where the
 * scope has their marker words (`index/language-markers.ts`); languages with their own script, for terms in that script.
 */
import { stemmer as stemEnglish } from "@orama/stemmers/english";

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

/** Finds forms of words in some languages. */
export interface Forms {
  /** Whether `term` and `wanted` differ and are forms of one word. */
  isForm(term: string, wanted: string): boolean;
  /** The common prefix of all forms of `term`; undefined when it has no forms. */
  findPrefix(term: string): string | undefined;
}

const known = new Map<string, Promise<Forms>>();

/** Loads the stemmers of some languages, those by script included. */
export function loadForms(names: readonly string[]): Promise<Forms> {
  const key = names.toSorted().join(" ");
  let forms = known.get(key);
  if (!forms) {
    forms = createForms(names);
    known.set(key, forms);
  }
  return forms;
}

async function createForms(names: readonly string[]): Promise<Forms> {
  const latin: Stem[] = [stemEnglish];
  for (const name of names) latin.push((await (languages[name] as Language).load()).stemmer);
  const others: { readonly script: RegExp; readonly stem: Stem }[] = [];
  for (const { script, load } of Object.values(languages))
    if (script) others.push({ script, stem: (await load()).stemmer });

  const stems = new Map<string, readonly string[]>();
  const listStems = (term: string): readonly string[] => {
    let found = stems.get(term);
    if (!found) {
      if (stems.size >= 50_000) stems.clear();
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
  return {
    isForm(term, wanted) {
      if (term === wanted || term.charCodeAt(0) !== wanted.charCodeAt(0)) return false;
      const ours = listStems(wanted);
      if (ours.length === 0) return false;
      const theirs = listStems(term);
      return ours.some((stem, at) => stem === theirs[at] && sharesPrefix(term, wanted, prefixLength(stem)));
    },
    findPrefix(term) {
      const ours = listStems(term);
      return ours.length === 0 ? undefined : term.slice(0, Math.min(...ours.map(prefixLength)));
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
