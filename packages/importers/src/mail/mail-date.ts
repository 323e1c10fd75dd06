/**
 * Dates of mail (RFC 5322 §3.3 and §4.3, and what programs write instead). Not `Date.parse`: it turns almost anything
 * into a time and reads a date without a zone in the zone of the machine.
 */

/** Parses the date of a header, in UTC; undefined if it is not a date. A date without a zone is read as UTC. */
export function parseMailDate(value: string): string | undefined {
  const text = value
    .slice(0, DATE_MAX_CHARS)
    .replace(/\([^()]*\)/g, "")
    .replace(/\s*:\s*/g, ":")
    .trim();
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts) return toTime(parts);
  }
  return undefined;
}

/** Longer values are not dates, and the expressions below are not linear. */
const DATE_MAX_CHARS = 256;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH = `(?<month>${MONTHS.join("|")})[a-z]*`;
const CLOCK = String.raw`(?<hour>\d{1,2})[:.](?<minute>\d{2})(?:[:.](?<second>\d{2}))?(?:\s*(?<half>[ap])m\b)?`;
const ZONE = String.raw`(?<zone>(?:gmt|utc)?[+-]\d{1,2}:?(?:\d{2})?|[a-z]{1,5})`;

const FORMS = [
  // Wed, 17 May 2000 19:08:29 -0400
  String.raw`^(?:[a-z]+[,.]?\s+)?(?<day>\d{1,2})[\s-]+${MONTH}[\s.-]+(?<year>\d{2,4}),?\s+(?:at\s+)?${CLOCK}(?:\s*${ZONE})?\b`,
  // Mon Jun  1 10:00:00 2009, and with the zone before or after the year
  String.raw`\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+${MONTH}\s+(?<day>\d{1,2}),?\s+${CLOCK}(?:\s+${ZONE})?\s+(?<year>\d{4})`,
  String.raw`^(?:[a-z]+,?\s+)?${MONTH}\s+(?<day>\d{1,2}),?\s+(?<year>\d{4}),?\s+${CLOCK}(?:\s*${ZONE})?\b`,
  // 2009-06-01T10:00:00+02:00
  String.raw`^(?<year>\d{4})-(?<number>\d{2})-(?<day>\d{2})[t\s]${CLOCK}(?:\.\d+)?(?:\s*${ZONE})?`,
].map((form) => new RegExp(form, "i"));

function toTime(parts: Readonly<Record<string, string | undefined>>): string | undefined {
  const part = (name: string): number => Number(parts[name] ?? 0);
  const month = parts.month === undefined ? part("number") : MONTHS.indexOf(parts.month.toLowerCase()) + 1;
  const day = part("day");
  const year = toYear(parts.year ?? "");
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  if (time.getUTCMonth() !== month - 1 || time.getUTCDate() !== day) return undefined;
  const hour =
    parts.half === undefined ? part("hour") : (part("hour") % 12) + (/p/i.test(parts.half) ? 12 : 0);
  if (hour > 23 || part("minute") > 59 || part("second") > 60) return undefined;
  const offset = parseZone(parts.zone ?? "");
  if (offset === undefined) return undefined;
  time.setUTCHours(hour, part("minute") - offset, part("second"));
  return time.getUTCFullYear() > 9999 || time.getUTCFullYear() < 0 ? undefined : time.toISOString();
}

/** RFC 5322 §4.3: two digits up to 49 belong to this century, three digits count from 1900. */
function toYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 2) return year + (year < 50 ? 2000 : 1900);
  return digits.length === 3 ? year + 1900 : year;
}

/** RFC 5322 §4.3; other letters mean an unknown offset. */
const ZONE_HOURS: Readonly<Record<string, number>> = {
  edt: -4,
  est: -5,
  cdt: -5,
  cst: -6,
  mdt: -6,
  mst: -7,
  pdt: -7,
  pst: -8,
  cet: 1,
  cest: 2,
  bst: 1,
  jst: 9,
};

/** Minutes east of UTC. */
function parseZone(zone: string): number | undefined {
  const [, sign, hours, minutes = "0"] = /([+-])(\d{1,2}):?(\d{2})?$/.exec(zone) ?? [];
  if (sign === undefined) return (ZONE_HOURS[zone.toLowerCase()] ?? 0) * 60;
  if (Number(minutes) > 59) return undefined;
  return (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
}
