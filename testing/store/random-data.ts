/** Random records for the differential test: texts that share words, in many scripts, short and long, nested. */
import type { RecordEnvelope } from "@rungs/contract";
import type { Random } from "../random.ts";
import type { Held } from "./oracle.ts";

/** Common words first. */
const WORDS = [
  "the",
  "and",
  "river",
  "café",
  "Straße",
  "東京",
  "stone",
  "don't",
  "bridge",
  "京都に行く",
  "Österreich",
  "foo@bar.com",
  "river_bank",
  "ﬁnance",
  "😀",
  "ภาษาไทย",
  "မင်္ဂလာပါ။",
  "Привет",
  "naïve",
  "rivers",
  "cafeteria",
  "大阪",
  "🇫🇷",
  "x2",
  "bridgehead",
  "ガギ",
  "서울에서",
  "ខ្មែរ។",
  "e\u0301tude",
  "Ω",
  "quartz",
  "zephyr",
];
const SEPARATORS = [" ", " ", " ", " ", ", ", ". ", "\n", "\r\n", "-", "", "\u0000", "  ", "・", "\u00ad "];
const LABELS = ["red", "green", "blue", "Grün", "赤", "", "re", "red "];

const MAILBOXES = [
  "foo@bar.com",
  "Foo@BAR.com",
  "Ann Lee <ann@bar.com>",
  'Ann "A" Lee <ann@bar.com>',
  "ann@bar.com, Foo@bar.com",
  "Lee <ann@bar.com>; foo@bar.com",
  '"Lee, Ann" <ANN@x.example>',
  "café",
  "no address <>",
  "",
];

export function randomWord(random: Random): string {
  return WORDS[Math.floor(WORDS.length * random.next() ** 2)] as string;
}

export function randomText(random: Random, words: number): string {
  return random.times(words, () => randomWord(random) + random.pick(SEPARATORS)).join("");
}

/** Mostly short, sometimes empty, occasionally several chunks long. */
function anyText(random: Random): string {
  if (random.chance(0.04))
    return randomText(random, random.int(1, 40)).repeat(random.int(20, 80)).slice(0, 24_000).toWellFormed();
  return randomText(random, random.chance(0.1) ? 0 : random.int(1, 12));
}

export function randomTime(random: Random): string {
  const ms = Date.UTC(2026, 0, 1) + random.int(-400, 400) * 43_200_000 + random.pick([0, 0, 1, 999]);
  const time = new Date(ms).toISOString();
  return random.chance(0.2) ? time.replace("Z", "+00:00") : time;
}

/** A value or nothing for each field of a message. */
const messageFields: Readonly<Record<string, (random: Random) => unknown>> = {
  from: (random) => ({ name: randomText(random, random.int(0, 3)), address: random.pick(MAILBOXES) }),
  subject: (random) => (random.chance(0.1) ? null : randomText(random, random.int(0, 5))),
  body: anyText,
  parts: (random) => random.times(random.int(0, 3), () => randomPart(random, 1)),
  note: anyText,
  sent_at: (random) => (random.chance(0.1) ? null : randomTime(random)),
  size_bytes: (random) => random.int(-3, 12),
  amount: (random) => (random.chance(0.2) ? null : random.int(-50, 50) / 10),
  unread: (random) => random.chance(0.5),
  label: (random) => (random.chance(0.2) ? null : random.pick(LABELS)),
  due: (random) => randomTime(random).slice(0, 10),
  code: (random) => random.pick(LABELS) + randomWord(random),
  payload: (random) => ({ text: anyText(random), list: random.times(random.int(0, 4), (at) => at) }),
  raw: (random) => "QUJD".repeat(random.int(0, 3)),
};

function randomPart(random: Random, depth: number): unknown {
  const inside = depth < 3 && random.chance(0.3) ? { parts: [randomPart(random, depth + 1)] } : {};
  return { kind: random.pick(["text", "html"]), text: anyText(random), size: random.int(0, 9), ...inside };
}

/** A new record or a new version of one, in the form of its stream. */
export function randomRecord(
  random: Random,
  stream: string,
  before: Held | undefined,
  emitted_at: string,
): RecordEnvelope {
  switch (stream) {
    case "labels": {
      const account = random.pick(["a", 'b"c', "東京"]);
      const number = random.int(0, 12);
      return {
        stream,
        key: [account, String(number)],
        data: { account, number, name: randomText(random, random.int(0, 4)) },
        emitted_at,
      };
    }
    case "events": {
      const id = `e${random.int(0, 60)}`;
      const at = random.chance(0.1) ? null : 1_767_225_600 + random.int(-400, 400) * 43_200;
      const detail = {
        title: randomWord(random),
        lines: random.times(random.int(0, 3), () => ({ text: anyText(random), kind: randomWord(random) })),
      };
      return { stream, key: id, data: { id, at, detail }, emitted_at };
    }
    case "meters": {
      const id = `m${random.int(0, 20)}`;
      return {
        stream,
        key: id,
        data: {
          id,
          reading: random.chance(0.2) ? null : random.int(-20, 20) / 4,
          place: random.pick(LABELS),
        },
        emitted_at,
      };
    }
    case "files": {
      const id = `f${random.int(0, 40)}`;
      const data = {
        id,
        message_id: random.chance(0.1) ? random.pick([null, "", "missing"]) : `k${random.int(0, 60)}`,
        name: randomText(random, random.int(0, 3)),
        text: anyText(random),
        made_at: random.chance(0.1) ? null : randomTime(random),
        size: random.int(0, 9),
      };
      return { stream, key: id, data, emitted_at };
    }
    case "marks": {
      const id = `x${random.int(0, 20)}`;
      const data = { id, file_id: `f${random.int(0, 40)}`, text: randomText(random, random.int(0, 5)) };
      return { stream, key: id, data, emitted_at };
    }
    default:
      return randomMessage(random, before, emitted_at);
  }
}

/** A message: all of it new, or an old one with some fields changed. */
function randomMessage(random: Random, before: Held | undefined, emitted_at: string): RecordEnvelope {
  const id = before?.ref.record_id ?? `k${random.int(0, 60)}`;
  const old = before?.data ?? {};
  const share = before ? 0.2 : 0.75;
  const data: Record<string, unknown> = { id };
  for (const [name, make] of Object.entries(messageFields)) {
    if (random.chance(share)) data[name] = make(random);
    else if (Object.hasOwn(old, name) && !random.chance(0.05)) data[name] = old[name];
  }
  return { stream: "messages", key: id, data, emitted_at };
}

/** New values for some of a message's fields; the rest stays. */
export function changeFields(
  random: Random,
  held: Held,
  fields: readonly string[],
  emitted_at: string,
): RecordEnvelope {
  const data: Record<string, unknown> = { id: held.ref.record_id };
  for (const [name, make] of Object.entries(messageFields)) {
    if (fields.includes(name)) {
      if (random.chance(0.8)) data[name] = make(random);
    } else if (Object.hasOwn(held.data, name)) data[name] = held.data[name];
  }
  return { stream: "messages", key: held.ref.record_id, data, emitted_at };
}
