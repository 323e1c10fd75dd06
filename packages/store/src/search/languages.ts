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
      // Most terms return here: stemming every term of a long text would be slow.
      if (prefix === undefined || !term.startsWith(prefix)) return false;
      const theirs = listStems(term);
      return listStems(wanted).some(
        (stem, at) => stem === theirs[at] && sharesPrefix(term, wanted, prefixLength(stem)),
      );
    },
  };
}

/** Leaves out prefixes that extend another one. */
function keepShortest(prefixes: readonly string[]): string[] {
  const kept: string[] = [];
  for (const one of prefixes.toSorted((a, b) => a.length - b.length))
    if (!kept.some((prefix) => one.startsWith(prefix))) kept.push(one);
  return kept;
}

function stemWith(stemmers: readonly Stem[], term: string): string[] {
  return stemmers.map((stem) => stem(term));
}

/** The prefix shared by all forms: the stem without its last letter (`happy`, `happiness`: stem `happi`). */
function prefixLength(stem: string): number {
  return Math.max(2, stem.length - 1);
}

function sharesPrefix(a: string, b: string, length: number): boolean {
  return a.length >= length && b.length >= length && a.slice(0, length) === b.slice(0, length);
}

/**
 * English words whose forms do not share a stem, one word with all its forms on each line. Left out are forms that are more often
 * another word (`bit`, `ground`, `rose`, `lay`), and the most common verbs (`be`, `do`, `go`, `say`, `see` …): measured on questions, more
 * forms of words that most records have find less.
 */
const IRREGULAR_WORDS = `
arise arises arising arose arisen
awake awakes awaking awoke awoken
become becomes becoming became
begin begins beginning began begun
bend bends bending bent
bite bites biting bitten
bleed bleeds bleeding bled
blow blows blowing blew blown
break breaks breaking broke broken
breed breeds breeding bred
bring brings bringing brought
build builds building built
burn burns burning burned burnt
buy buys buying bought
catch catches catching caught
choose chooses choosing chose chosen
cling clings clinging clung
deal deals dealing dealt
dig digs digging dug
draw draws drawing drew drawn
dream dreams dreaming dreamed dreamt
drink drinks drinking drank drunk
drive drives driving drove driven
eat eats eating ate eaten
fall falls falling fell fallen
feed feeds feeding fed
fight fights fighting fought
flee flees fleeing fled
fly flies flying flew flown
forbid forbids forbidding forbade forbidden
forget forgets forgetting forgot forgotten
forgive forgives forgiving forgave forgiven
freeze freezes freezing froze frozen
grow grows growing grew grown
hang hangs hanging hung
hear hears hearing heard
hide hides hiding hid hidden
hold holds holding held
keep keeps keeping kept
kneel kneels kneeling knelt
lead leads leading led
learn learns learning learned learnt
leave leaves leaving left
lend lends lending lent
light lights lighting lit
lose loses losing lost
make makes making made
mean means meaning meant
meet meets meeting met
overcome overcomes overcoming overcame
pay pays paying paid
ride rides riding rode ridden
ring rings ringing rang rung
rise rises rising risen
run runs running ran
seek seeks seeking sought
sell sells selling sold
send sends sending sent
sew sews sewing sewed sewn
shake shakes shaking shook shaken
shine shines shining shone
shoot shoots shooting shot
show shows showing showed shown
shrink shrinks shrinking shrank shrunk
sing sings singing sang sung
sink sinks sinking sank sunk
sit sits sitting sat
sleep sleeps sleeping slept
slide slides sliding slid
speak speaks speaking spoke spoken
speed speeds speeding sped
spend spends spending spent
spin spins spinning spun
spring springs springing sprang sprung
stand stands standing stood
steal steals stealing stole stolen
stick sticks sticking stuck
sting stings stinging stung
strike strikes striking struck
strive strives striving strove striven
swear swears swearing swore sworn
sweep sweeps sweeping swept
swim swims swimming swam swum
swing swings swinging swung
take takes taking took taken
teach teaches teaching taught
tear tears tearing tore torn
throw throws throwing threw thrown
understand understands understanding understood
undergo undergoes undergoing underwent undergone
undertake undertakes undertaking undertook undertaken
undo undoes undoing undid undone
wake wakes waking woke woken
wear wears wearing wore worn
weave weaves weaving wove woven
weep weeps weeping wept
win wins winning won
withdraw withdraws withdrawing withdrew withdrawn
write writes writing wrote written
calf calves
child children
foot feet
goose geese
half halves
knife knives
life lives
loaf loaves
man men
mouse mice
person people
shelf shelves
thief thieves
tooth teeth
wife wives
wolf wolves
woman women
`;

const irregular = new Map<string, readonly string[]>();
for (const line of IRREGULAR_WORDS.trim().split("\n")) {
  const forms = line.split(" ");
  for (const form of forms) irregular.set(form, [...(irregular.get(form) ?? []), ...forms]);
}

/** All forms of the words that `term` is a form of; none for a word without irregular forms. */
export function listIrregularForms(term: string): readonly string[] {
  return irregular.get(term) ?? [];
}
