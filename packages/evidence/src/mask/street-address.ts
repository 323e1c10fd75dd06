/** Street addresses by their pattern: house number and street in the forms of several languages, postal codes with a place. */
import { type Detector, findPattern, type ValuePattern } from "./found-value.ts";

const NAME = "[\\p{Lu}\\d][\\p{L}\\p{M}'’.\\-]{0,30}";
/** `, 80331 München`, `, Springfield, IL 62704`, `, London SW1A 2AA`. */
const PLACE = `(?:,?\\s{1,3}(?:[A-Z]{1,2}-)?\\d{4,5}\\s${NAME}(?: ${NAME}){0,2})?`;
const US_PLACE = `(?:,?\\s{1,3}(?:(?:apt|apartment|suite|ste|unit|floor|fl|#)\\.? ?#?[\\p{L}\\d-]{1,6}))?(?:,\\s{1,3}${NAME}(?: ${NAME}){0,2})?(?:,?\\s{1,3}(?:[A-Z]{2} \\d{5}(?:-\\d{4})?|[A-Z]{1,2}\\d[A-Z\\d]? \\d[A-Z]{2}))?`;
const HOUSE = "\\d{1,5}(?: ?[a-zA-Z])?(?:[-/]\\d{1,4}[a-zA-Z]?)?";

const patterns: readonly ValuePattern[] = [
  // 221B Baker Street, London NW1 6XE
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}.,-])${HOUSE} (?:${NAME} ){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Place|Pl|Square|Sq|Terrace|Ter|Parkway|Pkwy|Highway|Hwy|Close|Crescent|Gardens|Mews|Row|Trail|Circle|Cir)(?![\\p{L}])\\.?${US_PLACE}`,
      "gu",
    ),
  },
  // Lindenstraße 5a, 10969 Berlin; Am Alten Markt needs its number too
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${NAME}[ -]){0,3}(?:[\\p{Lu}][\\p{Ll}\\-]{1,30})?(?:[Ss]tra(?:ß|ss)e|[Ss]tr\\.|[Ww]eg|[Pp]latz|[Aa]llee|[Gg]asse|[Dd]amm|[Uu]fer|[Rr]ing|[Ss]teig|[Cc]haussee|[Mm]arkt|straat|laan|plein|gracht|kade|singel|gatan|vägen|gade|vej|veien|katu) ${HOUSE}(?![\\p{L}\\p{N}])${PLACE}`,
      "gu",
    ),
  },
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
      `(?<![\\p{L}\\p{N}])(?:Calle|C/|Avenida|Avda\\.|Paseo|Plaza|Carrer|Via|Viale|Piazza|Corso|Largo|Rua|Travessa) (?:(?:de la|de los|del|de|della|dei|di|da|do) )?${NAME}(?: ${NAME}){0,3},? (?:n[.º°]? ?)?${HOUSE}(?![\\p{L}\\p{N}])${PLACE}`,
      "gu",
    ),
  },
  { pattern: /(?<![\p{L}])(?:P\.? ?O\.? ?Box|Postfach|Apartado|Boîte postale|BP) \d[\d ]{0,9}(?<! )/giu },
  // A British postcode alone names a few houses.
  { pattern: /(?<![A-Z\d])(?:[A-Z]{1,2}\d[A-Z\d]?) \d[ABD-HJLNP-UW-Z]{2}(?![A-Z\d])/g },
];

export const findAddresses: Detector = (text) =>
  patterns.flatMap((pattern) =>
    findPattern(text, pattern, (found) =>
      found
        .replace(/[\s,.]+/g, " ")
        .trim()
        .toLowerCase(),
    ),
  );
