/**
 * Detects languages. Each has a few common words, folded like terms, that hardly ever all occur in texts of another
 * language. A segment lists the markers it has, so that detection reads one block.
 */
const markers: Readonly<Record<string, readonly string[]>> = {
  danish: ["ikke", "og", "af"],
  dutch: ["het", "een", "niet"],
  finnish: ["etta", "mutta", "ovat"],
  french: ["dans", "une", "avec"],
  german: ["und", "nicht", "das"],
  hungarian: ["hogy", "nem", "egy"],
  indonesian: ["yang", "dan", "tidak"],
  italian: ["che", "sono", "della"],
  norwegian: ["ikke", "og", "av"],
  portuguese: ["nao", "uma", "mais"],
  romanian: ["este", "pentru", "sunt"],
  spanish: ["los", "pero", "esta"],
  swedish: ["och", "inte", "att"],
  turkish: ["bir", "icin", "ve"],
};

/** The marker words of every language, in order. */
export const markerTerms: readonly string[] = [...new Set(Object.values(markers).flat())].sort();

/** The marker words of some languages. */
export function listLanguageMarkers(languages: readonly string[]): string[] {
  return [...new Set(languages.flatMap((name) => markers[name] ?? []))];
}

/** The languages whose markers are all among `present`. */
export function detectLanguages(present: ReadonlySet<string>): string[] {
  return Object.entries(markers).flatMap(([name, terms]) =>
    terms.every((term) => present.has(term)) ? [name] : [],
  );
}
