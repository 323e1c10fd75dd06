/** Secrets: keys and tokens by the prefixes of their issuers, private keys, passwords in addresses and behind a word. */
import { type Detector, type FoundValue, findPattern, type ValuePattern } from "./found-value.ts";

const WORD =
  "(?:pass(?:word|wd|phrase|code)?|pwd|pw|passwort|kennwort|losungswort|mot de passe|contrase[nñ]a|wachtwoord|senha|secret|client[ _-]?secret|api[ _-]?key|access[ _-]?key|auth[ _-]?token|access[ _-]?token|token|pin(?:[ -]?code)?|tan|one[- ]time (?:code|password)|otp)";

/** Up to an empty line between the word and what it announces. */
const BREAK = "[ \\t]{0,3}(?:\\r?\\n[ \\t>]{0,3}){0,2}";

const patterns: readonly ValuePattern[] = [
  { pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  { pattern: /(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})/g },
  {
    pattern: /(?<![A-Za-z0-9_])(?:glpat-|npm_|pypi-|hf_|dop_v1_|shpat_|xkeysib-|SG\.)[A-Za-z0-9_.-]{16,255}/g,
  },
  { pattern: /(?<![A-Za-z0-9_])xox[a-z]-[A-Za-z0-9-]{10,255}/g },
  { pattern: /(?<![A-Za-z0-9_])(?:sk|pk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,255}/g },
  { pattern: /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{20,255}/g },
  { pattern: /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}/g },
  { pattern: /(?<![A-Za-z0-9_-])ya29\.[A-Za-z0-9_-]{20,512}/g },
  { pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,16384}\.[A-Za-z0-9_-]{0,2048}/g },
  { pattern: /(?<![A-Za-z0-9])bearer {1,3}(?<value>[A-Za-z0-9._~+/-]{16,4096}={0,2})/dgi },
  { pattern: /(?<=[a-z]:\/\/[^\s:/@]{1,64}:)[^\s/@]{1,128}(?=@)/gi },
  // password: hunter2, Passwort ist "x y", PIN = 1234
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}])${WORD}(?:["']{0,2}[ \\t]{0,3}(?:[:=]|[-=]?>|→)${BREAK}|[ \\t]{1,3}(?:is|ist|lautet|est|es|was|war)(?:[ \\t]{0,3}:${BREAK}|[ \\t]{1,3}))(?:"(?<quoted>[^"\\r\\n]{1,256})"|'(?<single>[^'\\r\\n]{1,256})'|["'“„]?(?<value>[^\\s"'<>,;“„]{3,256}))`,
      "dgiu",
    ),
  },
  // Codes for signing in: 123456 is your code, your code is 123456, PIN 1234
  {
    pattern:
      /(?<![\p{L}\p{N}])(?<!(?:zip|postal|post|area|error|exit|status|country|promo|dress|source) )(?:code|c[oó]digo|otp|pin|tan|passcode|einmalpasswort)(?: (?:is|ist|lautet|est|es))?[ \t]{0,2}[:#]?[ \t]{1,3}(?<value>(?:[A-Z]-)?\d{3} ?\d{1,5})(?![\p{L}\p{N}])(?![.,:/-]\d)/dgiu,
  },
  {
    pattern:
      /(?<![\p{L}\p{N}.,-])(?:[A-Z]-)?\d{4,8}(?= (?:is|ist) [^.\n]{0,40}(?<!\p{L})(?:code|pin|otp|passcode)(?!\p{L}))/giu,
  },
];
const NOT_A_SECRET =
  /^(?:required|wrong|incorrect|invalid|correct|reset|changed|protected|expired|weak|strong|safe|secure|not|now|the|a|an|too|very|still|being|your|my|in|on|to|for|null|true|false|undefined|none|empty|optional|string|falsch|richtig|nicht|abgelaufen|sicher)[.!?]?$/i;

const KEY_BEGIN = /-----BEGIN (?:[A-Z0-9 ]{0,40} )?PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END (?:[A-Z0-9 ]{0,40} )?PRIVATE KEY(?: BLOCK)?-----/g;

export const findSecrets: Detector = (text) => [
  ...findPrivateKeys(text),
  ...patterns.flatMap((pattern) => findGroups(text, pattern)),
];

const LABEL = new RegExp(`(?<!\\p{L})${WORD}$`, "iu");

/** The value of a member such as `password`. */
export function findLabelledSecret(label: string, text: string): FoundValue[] {
  const isSecret = LABEL.test(label) && text.length >= 3 && !NOT_A_SECRET.test(text);
  return isSecret ? [{ start: 0, end: text.length, value: text }] : [];
}

/** A pattern may have its value in one of three groups: bare, or in either kind of quotes. */
function findGroups(text: string, { pattern }: ValuePattern): FoundValue[] {
  if (!pattern.source.includes("<quoted>")) return findPattern(text, { pattern }, (found) => found);
  return [...text.matchAll(pattern)].flatMap(({ indices }) => {
    const { quoted, single, value } = indices?.groups ?? {};
    const [start, end] = quoted ?? single ?? value ?? [0, 0];
    const found = text.slice(start, end);
    return NOT_A_SECRET.test(found) || /^[^:]+:$/.test(found) ? [] : [{ start, end, value: found }];
  });
}

/** A private key from its first line to its last; one without a last line reaches to the end of the text. */
function findPrivateKeys(text: string): FoundValue[] {
  const found: FoundValue[] = [];
  for (const { index: start } of text.matchAll(KEY_BEGIN)) {
    if (start < (found.at(-1)?.end ?? 0)) continue;
    KEY_END.lastIndex = start;
    const last = KEY_END.exec(text);
    const end = last ? last.index + last[0].length : text.length;
    found.push({ start, end, value: text.slice(start, end).replace(/\s/g, "") });
  }
  return found;
}
