/** Secrets: keys and tokens by their issuers' prefixes, private keys, and passwords in URLs or after a keyword. */
import { type Detector, type FoundValue, findPattern, type ValuePattern } from "./found-value.ts";

const PASSWORD =
  "(?:pass(?:word|wd|phrase|wort)|kennwort|losungswort|mot de passe|mdp|contrase[nñ]a|wachtwoord|senha|parola|hasło|heslo|lösenord|passord|adgangskode|salasana|jelszó|şifre|пароль|密码|密碼|パスワード|비밀번호)";
const WORD = `(?:${PASSWORD}|pass(?:code)?|pwd|pw|secret(?:[ _-]?key)?|client[ _-]?secret|(?:api|access|account|private|signing|encryption)[ _-]?key|auth[ _-]?token|access[ _-]?token|token|pin(?:[ -]?code)?|tan|one[- ]time (?:code|password)|otp|cvv2?|cvc2?)`;

/** At most one empty line between the keyword and the value. */
const BREAK = "[ \\t]{0,3}(?:\\r?\\n[ \\t>]{0,3}){0,2}";

const patterns: readonly ValuePattern[] = [
  { pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  { pattern: /(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})/g },
  {
    pattern: /(?<![A-Za-z0-9_])(?:glpat-|npm_|pypi-|hf_|dop_v1_|shpat_|xkeysib-|SG\.)[A-Za-z0-9_.-]{16,255}/g,
  },
  { pattern: /(?<![A-Za-z0-9_])(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,255}/g },
  {
    pattern:
      /(?<=hooks\.slack\.com\/(?:services|workflows)\/|discord(?:app)?\.com\/api\/webhooks\/)[A-Za-z0-9_/-]{20,255}/g,
  },
  { pattern: /(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{30,40}(?![A-Za-z0-9_-])/g },
  { pattern: /(?<![A-Z0-9])AGE-SECRET-KEY-1[A-Z0-9]{50,70}/g },
  { pattern: /(?<=authorization: ?basic {1,3})[A-Za-z0-9+/]{8,1024}={0,2}/gi },
  { pattern: /(?<![A-Za-z0-9_])(?:sk|pk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,255}/g },
  { pattern: /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{20,255}/g },
  { pattern: /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}/g },
  { pattern: /(?<![A-Za-z0-9_-])ya29\.[A-Za-z0-9_-]{20,512}/g },
  {
    pattern:
      /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4096}\.(?:\r?\n[ \t>]{0,3})?[A-Za-z0-9_-]{8,16384}\.(?:\r?\n[ \t>]{0,3})?[A-Za-z0-9_-]{0,2048}/g,
  },
  { pattern: /(?<![A-Za-z0-9])bearer {1,3}(?<value>[A-Za-z0-9._~+/-]{16,4096}={0,2})/dgi },
  { pattern: /(?<=[a-z]:\/\/[^\s:/@]{1,64}:)[^\s/@]{1,128}(?=@)/gi },
  // password: hunter2, Passwort ist "x y", PIN = 1234
  {
    pattern: new RegExp(
      `(?:(?<![\\p{L}\\p{N}])${WORD}|(?<=[\\p{L}\\p{N}])pass(?:word|wd|phrase|wort))(?:["']{0,2}[ \\t]{0,3}(?:[:=]|[-=]?>|→)${BREAK}|[ \\t]{1,3}(?:is|ist|lautet|est|es|was|war)(?:[ \\t]{0,3}:${BREAK}|[ \\t]{1,3}))(?:"(?<quoted>[^"\\r\\n]{1,256})"|'(?<single>[^'\\r\\n]{1,256})'|["'“„]?(?<value>[^\\s"'<>,;“„]{3,256}))`,
      "dgiu",
    ),
  },
  // password hunter2; the password for the door is hunter2
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${PASSWORD}|pwd|pw)(?: (?:for|of|to|für|von|zum|zur|de|del|pour|du) [^\\r\\n:=]{1,40} (?:is|ist|lautet|est|es))? (?<value>(?=[^\\s]{0,63}\\d)(?=[^\\s]{0,63}\\p{L})[^\\s"'<>,;“„()]{6,64})`,
      "dgiu",
    ),
  },
  // A phrase of several words, alone on the line of its label.
  {
    pattern: new RegExp(
      `(?<=(?:^|\\n)[ \\t>*•-]{0,4}(?:\\p{L}{1,20}[ -]){0,3}(?:${PASSWORD}|(?:seed|recovery) phrase|mnemonic): {0,3})(?<value>(?!["'])[^\\s:]{1,64}(?: [^\\s:]{1,64}){1,23})(?=[ \\t]{0,3}(?:\\r?\\n|$))`,
      "dgiu",
    ),
  },
  { pattern: /(?<=(?<!\p{L})(?:use|enter|type) )\d{4,8}(?= (?:to|as|for) )/giu },
  // Codes for signing in: 123456 is your code, your code is 123456, PIN 1234
  {
    pattern:
      /(?<![\p{L}\p{N}])(?<!(?:zip|postal|post|area|error|exit|status|country|promo|dress|source) )(?:(?:code|c[oó]digo)(?: (?:is|ist|lautet|est|es)|[ \t]{0,2}[:#]|(?<=(?:your|ihr|dein|votre|tu|su|verification|security|login|access|confirmation|sms) (?:code|c[oó]digo)))|(?:otp|pin|tan|passcode|einmalpasswort)(?: (?:is|ist|lautet|est|es))?[ \t]{0,2}[:#]?)[ \t]{1,3}(?<value>(?:[A-Z]-)?\d{3} ?\d{1,5})(?![\p{L}\p{N}])(?![.,:/-]\d)/dgiu,
  },
  {
    pattern:
      /(?<![\p{L}\p{N}.,-])(?:[A-Z]-)?\d{4,8}(?= (?:is|ist) [^.\n]{0,40}(?<!\p{L})(?:code|pin|otp|passcode)(?!\p{L}))/giu,
  },
];
/** `the pin is mightier`: words after these keywords are often not secrets. */
const IS_SAID_OF = /^(?:pass|pin|tan|token|secret) (?:is|ist|lautet|est|es|was|war) /i;
const NOT_A_SECRET =
  /^(?:[*•.…]+|see|siehe|below|above|required|wrong|incorrect|invalid|correct|reset|changed|protected|expired|weak|strong|safe|secure|not|now|the|a|an|too|very|still|being|your|my|in|on|to|for|null|true|false|undefined|none|empty|optional|string|falsch|richtig|nicht|abgelaufen|sicher)[.!?]?$/i;

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
  return [...text.matchAll(pattern)].flatMap(({ 0: announced, indices }) => {
    const { quoted, single, value } = indices?.groups ?? {};
    const [start, end] = quoted ?? single ?? value ?? [0, 0];
    const found = text.slice(start, end);
    const isOther =
      NOT_A_SECRET.test(found) || /^[^:]+:$/.test(found) || (IS_SAID_OF.test(announced) && !/\d/.test(found));
    return isOther ? [] : [{ start, end, value: found }];
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
