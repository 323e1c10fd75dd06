/** Times as Google writes them for people, in the language of the account: `22.01.2024, 10:04:11 MEZ`. */
import { findZoneOffset } from "../zone-offset.ts";

const TIME = /(?<!\d)(?<hour>\d{1,2})[:.](?<minute>\d{2})[:.](?<second>\d{2})(?!\d)/;
const AFTERNOON = /\bp\.?\s?m\b|午後|下午|오후|\bmu\b|μ\.μ/i;
const FORENOON = /\ba\.?\s?m\b|午前|上午|오전|\bπ\.μ/i;
const MAX_CHARS = 100;

/**
 * Parses a written time to milliseconds; undefined for other text. The abbreviation of the zone is the offset at the
 * time of the export, whatever the season. A time without a known zone is in `time_zone`, else in UTC.
 */
export function parseWrittenTime(written: string, time_zone = "UTC"): number | undefined {
  const text = written.replaceAll(/[\u00a0\u202f\u2009]/g, " ").trim();
  const time = text.length > MAX_CHARS ? undefined : TIME.exec(text);
  const date = time && parseDate(text.slice(0, time.index));
  if (!time?.groups || !date) return undefined;
  const { hour: writtenHour, minute, second } = time.groups;
  let hour = Number(writtenHour);
  if (AFTERNOON.test(text) && hour < 12) hour += 12;
  else if (FORENOON.test(text) && hour === 12) hour = 0;
  const localMs = Date.UTC(date.year, date.month - 1, date.day, hour, Number(minute), Number(second));
  const written_at = new Date(localMs);
  if (written_at.getUTCDate() !== date.day || hour > 23) return undefined;
  const offset =
    parseOffset(text.slice(time.index + time[0].length)) ?? findZoneOffset(time_zone, localMs) ?? 0;
  return localMs - offset * 60_000;
}

interface WrittenDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

function parseDate(text: string): WrittenDate | undefined {
  const numbers = [...text.matchAll(/\d+/g)].map(([digits]) => digits);
  const yearAt = numbers.findIndex((digits) => digits.length === 4);
  const year = Number(numbers[yearAt]);
  if (yearAt < 0 || year < 1970 || year > 9999) return undefined;
  const others = numbers.slice(0, 3).flatMap((digits, at) => (at === yearAt ? [] : [Number(digits)]));
  const [first = 0, second = 0] = others;
  const named = findMonth(text);
  const parts =
    named !== undefined && others.length === 1
      ? { month: named, day: first }
      : others.length !== 2
        ? undefined
        : yearAt === 0 || second > 12
          ? { month: first, day: second }
          : { month: second, day: first };
  if (!parts || parts.month < 1 || parts.month > 12 || parts.day < 1 || parts.day > 31) return undefined;
  return { year, ...parts };
}

/** The month by its name in any of the languages; a word may be a shortened name. */
function findMonth(text: string): number | undefined {
  for (const [word] of text.toLowerCase().matchAll(/\p{L}[\p{L}\p{M}]*/gu)) {
    const month = listMonths().get(fold(word));
    if (month !== undefined) return month;
  }
  return undefined;
}

const LANGUAGES =
  "en de fr es it pt nl sv da nb fi pl cs sk hu ro tr ru uk bg el hr sl lt lv et id ms vi ca eu gl hi th he ar fa".split(
    " ",
  );
let months: Map<string, number> | undefined;

/** Month names of the languages, long and short, alone and within a date. The first language wins. */
function listMonths(): Map<string, number> {
  if (months) return months;
  months = new Map();
  for (const language of LANGUAGES) {
    const locale = `${language}-u-ca-gregory-nu-latn`;
    for (const form of ["long", "short"] as const) {
      for (const options of [{ month: form }, { month: form, day: "numeric" }] as const) {
        const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
        for (let month = 1; month <= 12; month += 1) {
          const parts = format.formatToParts(Date.UTC(2024, month - 1, 15));
          const name = fold(parts.find(({ type }) => type === "month")?.value ?? "");
          if (/\p{L}/u.test(name) && !months.has(name)) months.set(name, month);
        }
      }
    }
  }
  return months;
}

function fold(word: string): string {
  return word
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[\p{M}.\s]/gu, "");
}

/** Hours east of UTC of the abbreviations that Google writes. */
const ZONES: Readonly<Record<string, number>> = {
  utc: 0,
  gmt: 0,
  z: 0,
  wet: 0,
  west: 1,
  bst: 1,
  cet: 1,
  mez: 1,
  cest: 2,
  mesz: 2,
  eet: 2,
  oez: 2,
  sast: 2,
  eest: 3,
  oesz: 3,
  msk: 3,
  trt: 3,
  ist: 5.5,
  jst: 9,
  kst: 9,
  hkt: 8,
  sgt: 8,
  awst: 8,
  acst: 9.5,
  acdt: 10.5,
  aest: 10,
  aedt: 11,
  nzst: 12,
  nzdt: 13,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  akst: -9,
  akdt: -8,
  hst: -10,
  brt: -3,
  art: -3,
  clt: -4,
  clst: -3,
  pkt: 5,
  wib: 7,
  ict: 7,
  pht: 8,
};

/** Minutes east of UTC: `GMT+05:30`, `UTC-3`, `MEZ`. */
function parseOffset(text: string): number | undefined {
  const [, sign, hours = "", minutes = "0"] =
    /(?:GMT|UTC)\s?([+\-−])(\d{1,2})(?::?(\d{2}))?/i.exec(text) ?? [];
  if (sign !== undefined) return (Number(hours) * 60 + Number(minutes)) * (sign === "+" ? 1 : -1);
  for (const [word] of text.toLowerCase().matchAll(/[a-z]+/g)) {
    if (Object.hasOwn(ZONES, word)) return ZONES[word]! * 60;
  }
  return undefined;
}
