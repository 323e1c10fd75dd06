/** Street addresses by their pattern: house number and street in the forms of several languages, postal codes with a place. */
import { type Detector, type FoundValue, findPattern, type ValuePattern } from "./found-value.ts";

const NAME = "[\\p{Lu}\\d][\\p{L}\\p{M}\\d'’.\\-]{0,30}";
/** `, 80331 München`, `, Springfield, IL 62704`, `, London SW1A 2AA`. */
const PLACE = `(?:,?\\s{1,3}(?:[A-Z]{1,2}-)?\\d{4,5}\\s${NAME}(?: ${NAME}){0,2})?`;
const US_PLACE = `(?:,?\\s{1,3}(?:(?:apt|apartment|suite|ste|unit|floor|fl|#)\\.? ?#?[\\p{L}\\d-]{1,6}))?(?:,\\s{1,3}${NAME}(?: ${NAME}){0,2})?(?:,?\\s{1,3}(?:[A-Z]{2} \\d{5}(?:-\\d{4})?|[A-Z]{1,2}\\d[A-Z\\d]? \\d[A-Z]{2}))?`;
/** On the line below: `Springfield, IL 62704`. */
const US_LINE = `(?:\\r?\\n[ \\t>]{0,3}${NAME}(?: ${NAME}){0,2},? [A-Z]{2} \\d{5}(?:-\\d{4})?)?`;
const HOUSE = "\\d{1,5}(?: ?[a-zA-Z])?(?:[-/]\\d{1,4}[a-zA-Z]?)?";

/** A word of a street's name, not a bare number. */
const GERMAN_NAME = "[\\p{Lu}][\\p{L}\\p{M}'’.\\-]{0,30}";

const patterns: readonly ValuePattern[] = [
  // 221B Baker Street, London NW1 6XE
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}.,-])${HOUSE} (?:${NAME} ){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Place|Pl|Square|Sq|Terrace|Ter|Parkway|Pkwy|Highway|Hwy|Close|Crescent|Gardens|Mews|Row|Trail|Circle|Cir)(?![\\p{L}])\\.?${US_PLACE}${US_LINE}`,
      "gu",
    ),
  },
  // Lindenstraße 5a, 10969 Berlin; Am Markt 5; LINDENSTRASSE Nr. 5. Not a rank: Platz 3, im Ring 2.
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}])(?=[\\p{Lu}gklmpsv])(?!Auf Platz)(?:${GERMAN_NAME}[ -]){0,3}(?:(?:[\\p{Lu}][\\p{Ll}\\-]{1,30})?(?:[Ss]tra(?:ß|ss)e|[Ss]tr\\.|[Mm]arkt)|[\\p{Lu}\\-]{1,30}(?:STRASSE|STR\\.)|(?:(?<=${GERMAN_NAME}[ -])|[\\p{Lu}][\\p{Ll}\\-]{1,30})(?:[Ww]eg|[Pp]latz|[Aa]llee|[Gg]asse|[Dd]amm|[Uu]fer|[Rr]ing|[Ss]teig|[Cc]haussee)|(?:[\\p{Lu}][\\p{Ll}\\-]{1,30})?(?:straat|laan|plein|gracht|kade|singel|gatan|vägen|gade|vej|veien|katu))(?:[ \\n]|(?<=\\.))(?:Nr\\. ?)?${HOUSE}(?![\\p{L}\\p{N}])${PLACE}`,
      "gu",
    ),
  },
  // ul. Marszałkowska 12/34, ул. Тверская, д. 7
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}])(?:[Uu]l\\.|[Uu]lica|[Aa]l\\.|[Уу]л\\.|[Уу]лица|[Пп]роспект|[Пп]р\\.|[Пп]ер\\.) ?${NAME}(?: ${NAME}){0,2},? (?:д\\. ?|dom )?${HOUSE}(?![\\p{L}\\p{N}])${PLACE}`,
      "gu",
    ),
  },
  { pattern: /〒 ?\d{3}-\d{4}/g },
  // 12 bis, rue de la Paix, 75002 Paris
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}.,])\\d{1,4}(?: (?:bis|ter|quater))?,? (?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Bb]d|[Cc]hemin|[Aa]llée|[Ii]mpasse|[Qq]uai|[Cc]ours|[Ss]quare|[Pp]lace) (?:(?:de la|de l'|des|du|de|d'|la|le|les) ?)?${NAME}(?: ${NAME}){0,3}${PLACE}`,
      "gu",
    ),
  },
  // Calle Mayor 3, Via Roma 12
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}])(?:Calle|C/|Avenida|Avda\\.|Paseo|Plaza|Carrer|Via|Viale|Piazza|Corso|Largo|Rua|Travessa) (?:(?:de la|de los|del|de|della|dei|di|das|dos|da|do) )?${NAME}(?: ${NAME}){0,3},? (?:n[.º°]? ?)?${HOUSE}(?![\\p{L}\\p{N}])${PLACE}`,
      "gu",
    ),
  },
  { pattern: /(?<![\p{L}])(?:P\.? ?O\.? ?Box|Postfach|Apartado|Boîte postale|BP) \d[\d ]{0,9}(?<! )/giu },
  // A British postcode alone identifies a few houses.
  { pattern: /(?<![A-Z\d])(?:[A-Z]{1,2}\d[A-Z\d]?) \d[ABD-HJLNP-UW-Z]{2}(?![A-Z\d])/g },
];

/** The numbers of 千代田区千代田1-1 and 建国路93号, which follow their names without a space. */
const EAST_ASIAN_NUMBER =
  /(?<=[\p{Script=Han}\p{Script=Katakana}ー])\d{1,5}(?:[号號](?:楼|院)?(?:\d{1,4}(?:室|单元))?|(?:丁目|番地?|-)\d{1,4}(?:(?:番地?|号|-)\d{0,4}){0,3})/gu;
const STREET_BEFORE = /$(?<=([\p{Script=Han}]{1,20}(?:路|街|道|巷|弄|胡同)))/u;
const DISTRICT_BEFORE =
  /$(?<=([\p{Script=Han}々ヶケノ]{1,12}[都道府県市区町村郡][\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]{1,12}))/u;
const NAME_UNITS = 40;

export const findAddresses: Detector = (text) => [
  ...patterns.flatMap((pattern) => findPattern(text, pattern, normaliseAddress)),
  ...findEastAsian(text),
];

/** Looks around numbers, so that a long text in these scripts costs nothing. */
function findEastAsian(text: string): FoundValue[] {
  return [...text.matchAll(EAST_ASIAN_NUMBER)].flatMap(({ 0: number, index }) => {
    const before = text.slice(Math.max(0, index - NAME_UNITS), index);
    const name = (/^\d+[号號]/.test(number) ? STREET_BEFORE : DISTRICT_BEFORE).exec(before)?.[1];
    if (name === undefined) return [];
    return [{ start: index - name.length, end: index + number.length, value: name + number }];
  });
}

function normaliseAddress(found: string): string {
  return found
    .replace(/[\s,.]+/g, " ")
    .trim()
    .toLowerCase();
}
