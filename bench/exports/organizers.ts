/** Calendars and address books. */
import { makeCalendar, makeEvent, OFFICE_ZONE } from "../../testing/files/calendar.ts";
import type { BenchRecord } from "../corpus.ts";
import { createTexts, numberOf } from "./texts.ts";

const DESCRIPTION_CHARS = 300;

/** A calendar of meetings, some in a time zone that only the file defines, some recurring. */
export function* calendarPieces(bytes: number): Generator<string> {
  const events = createTexts(bytes, DESCRIPTION_CHARS).map(writeEvent).toArray();
  yield makeCalendar(OFFICE_ZONE, events.join("\r\n"));
}

function writeEvent(text: BenchRecord): string {
  const { id, subject, body, sent_at } = text;
  const number = numberOf(text);
  const time = sent_at.slice(0, 19).replaceAll(/[-:]/g, "");
  const start = number % 3 === 0 ? `DTSTART;TZID=Office Time:${time}` : `DTSTART:${time}Z`;
  return makeEvent(
    `UID:${id}@example.org`,
    `DTSTAMP:${time}Z`,
    start,
    "DURATION:PT45M",
    `SUMMARY:${subject}`,
    foldLine(`DESCRIPTION:${body.trim()}`),
    "LOCATION:Harbour office\\, second floor",
    "ORGANIZER;CN=Ada:mailto:ada@example.org",
    "ATTENDEE;CN=Bob;PARTSTAT=ACCEPTED:mailto:bob@example.org",
    ...(number % 8 === 0 ? ["RRULE:FREQ=WEEKLY;COUNT=10"] : []),
  );
}

const NOTE_CHARS = 120;

/** An address book in vCard 3.0. */
export function* contactCards(bytes: number): Generator<string> {
  for (const { id, subject, body, sent_at } of createTexts(bytes, NOTE_CHARS)) {
    const [given = "", family = ""] = subject.split(" ");
    const lines = [
      "BEGIN:VCARD",
      "VERSION:3.0",
      `UID:${id}`,
      `FN:${given} ${family}`,
      `N:${family};${given};;;`,
      `ORG:${family} works`,
      `EMAIL;TYPE=INTERNET,WORK:${given}.${id}@example.org`,
      `TEL;TYPE=CELL:+49 170 ${id.slice(1).padStart(7, "0")}`,
      "ADR;TYPE=HOME:;;1 Main St;Kiel;;24103;Germany",
      foldLine(`NOTE:${body.trim()}`),
      `REV:${sent_at}`,
      "END:VCARD",
    ];
    yield `${lines.join("\r\n")}\r\n`;
  }
}

/** Lines of at most 75 bytes (RFC 5545 §3.1). */
function foldLine(line: string): string {
  return line.replace(/.{74}(?=.)/g, "$&\r\n ");
}
