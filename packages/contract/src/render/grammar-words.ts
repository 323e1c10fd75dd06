/**
 * The words that build an English question and say nothing of what it is about: question words, auxiliary verbs, pronouns and articles.
 * In a scope of a few records an absent "does" weighs as much as an absent name. This list decides only which absent words an answer
 * names, never a rank, a match or a count. Words that are also names or initials (will, may, us) are not in it.
 */
const GRAMMAR_WORDS: ReadonlySet<string> = new Set(
  [
    "who whom whose what which when where why how",
    "do does did am is are was were be been being have has had",
    "would shall should can could might must",
    "i me my mine you your yours he him his she her hers it its we our ours they them their theirs",
    "a an the this that these those there",
  ].flatMap((line) => line.split(" ")),
);

/** Whether a word as it was asked, in any case, is one of them. */
export function isGrammarWord(word: string): boolean {
  return GRAMMAR_WORDS.has(word.toLowerCase());
}
