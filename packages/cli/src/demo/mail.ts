/** Two mail accounts whose messages have the same keys; one holds a very long thread. */
import type { RecordEnvelope } from "@rungs/contract";
import { createEnvelope, createRandom, type Random, timeAt } from "./sample-record.ts";

const THREAD_MESSAGES = 240;
const PEOPLE = ["Ana Duarte", "Lars Holm", "Noor Haddad", "Kenji Mori", "Maya Okafor"] as const;
const ROOF = [
  "The scaffolding stands until Friday, and the street office wants the permit renewed before that.",
  "I asked three roofers; the second one can start in March if we choose the tiles this week.",
  "Water came in again above the stairs. I put a bucket there and called +49 30 5557 0142 at once.",
  "The insurance pays for the beams, not for the tiles. Their letter is in the blue folder.",
  "Could you ask the neighbours whether their side leaks too? Then we share the crane.",
  "The tiles from the old barn match. There are about four hundred of them, some with moss.",
  "Let us decide on Sunday. I would rather pay a little more and keep the old ridge.",
] as const;
const OFFICE = [
  "The draft of the annual report is in the shared folder; section 4 still lacks the numbers for May.",
  "Please move the review to Thursday, the room with the screen is free from two o'clock.",
  "The supplier confirms delivery of the tea crates in week 22, invoice to follow.",
  "I tried the new export: 12,000 rows in nine seconds, and the umlauts are right at last.",
  "Reminder: travel costs of the quarter are due on the last Friday of the month.",
] as const;
const HIDDEN = "By the way, the spare key to the cellar is under the blue pot behind the lemon tree.";

/** Lists the account at home: a thread of 240 messages whose last one quotes them all. */
export function listHomeMail(): RecordEnvelope[] {
  const random = createRandom(7);
  const texts = Array.from({ length: THREAD_MESSAGES }, (_, at) =>
    writeText(random, ROOF, at === 97 ? HIDDEN : ""),
  );
  const replies = texts.map((body, at) =>
    message(at + 1, "roof", at === 0 ? "The roof" : "Re: The roof", PEOPLE[at % 3]!, at * 310, body),
  );
  const history = texts
    .map((body, at) => `${formatQuoteLine(at)}\n> ${body.replaceAll("\n", "\n> ")}`)
    .reverse();
  const last = ["Here is everything once more, so that the insurance has it in one piece.", ...history].join(
    "\n\n",
  );
  return [
    ...replies,
    message(THREAD_MESSAGES + 1, "roof", "Fwd: The roof, all of it", PEOPLE[0], THREAD_MESSAGES * 310, last),
  ];
}

/** Lists the account at work: short threads. */
export function listWorkMail(): RecordEnvelope[] {
  const random = createRandom(11);
  return Array.from({ length: 120 }, (_, at) =>
    message(
      at + 1,
      `topic-${at % 24}`,
      `Week ${1 + (at % 24)}`,
      random.pick(PEOPLE),
      at * 720,
      writeText(random, OFFICE),
    ),
  );
}

function message(
  number: number,
  thread_id: string,
  subject: string,
  from: string,
  minutes: number,
  body: string,
) {
  const id = `m-${String(number).padStart(4, "0")}`;
  return createEnvelope("messages", id, {
    thread_id,
    subject,
    from,
    to: PEOPLE[0],
    sent_at: timeAt(minutes),
    body,
  });
}

function writeText(random: Random, lines: readonly string[], extra = ""): string {
  const said = Array.from({ length: 2 + random.number(4) }, () => random.pick(lines));
  return [...new Set(said), ...(extra === "" ? [] : [extra])].join("\n");
}

function formatQuoteLine(at: number): string {
  return `On ${timeAt(at * 310)} ${PEOPLE[at % 3]} wrote:`;
}
