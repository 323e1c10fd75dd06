import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { makeCalendar, makeEvent, OFFICE_ZONE } from "../../../../testing/files/calendar.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { matches as matchesFiles, type Reading, readAll } from "../read-all.test.ts";
import { calendar } from "./calendar.ts";

const read = (...parts: readonly string[]): Promise<Reading> =>
  readAll(calendar, { "work.ics": makeCalendar(...parts) });

async function readEvent(...lines: readonly string[]) {
  const { stream } = await read(OFFICE_ZONE, makeEvent(...lines));
  return [...stream("events").values()][0]!;
}

test("an event has its texts, people and rule", async () => {
  const event = await readEvent(
    "UID:1@example.com",
    "SUMMARY:Stand-up\\, daily",
    "DESCRIPTION:Line one\\nline",
    "  two\\; end",
    "LOCATION:Room 5",
    "DTSTART;TZID=Europe/Berlin:20240501T100000",
    "DTEND;TZID=Europe/Berlin:20240501T103000",
    "RRULE:FREQ=WEEKLY;BYDAY=MO,WE",
    "EXDATE;TZID=Europe/Berlin:20240508T100000,20240515T100000",
    'ORGANIZER;CN="Doe, Jane":mailto:jane@example.com',
    "ATTENDEE;CN=Ren\u00e9;PARTSTAT=ACCEPTED;ROLE=REQ-PARTICIPANT:MAILTO:rene@example.com",
    "CATEGORIES:work,a\\,b",
    "STATUS:CONFIRMED",
    "LAST-MODIFIED:20240430T080000Z",
    "BEGIN:VALARM",
    "DESCRIPTION:not this",
    "END:VALARM",
  );
  assert.deepEqual(event, {
    id: "1@example.com",
    uid: "1@example.com",
    summary: "Stand-up, daily",
    description: "Line one\nline two; end",
    location: "Room 5",
    start: "2024-05-01T10:00:00+02:00",
    end: "2024-05-01T10:30:00+02:00",
    start_local: "20240501T100000",
    timezone: "Europe/Berlin",
    all_day: false,
    rrule: "FREQ=WEEKLY;BYDAY=MO,WE",
    exdates: ["2024-05-08T10:00:00+02:00", "2024-05-15T10:00:00+02:00"],
    organizer: { name: "Doe, Jane", email: "jane@example.com" },
    attendees: [
      { name: "Ren\u00e9", email: "rene@example.com", status: "ACCEPTED", role: "REQ-PARTICIPANT" },
    ],
    categories: ["work", "a,b"],
    status: "CONFIRMED",
    calendar: "work",
    modified_at: "2024-04-30T08:00:00Z",
  });
});

suite("a time", () => {
  const times: readonly (readonly [string, string | undefined, boolean?])[] = [
    ["DTSTART:20240501T100000Z", "2024-05-01T10:00:00Z"],
    ["DTSTART;VALUE=DATE:20240501", "2024-05-01", true],
    ["DTSTART:20240501", "2024-05-01", true],
    ["DTSTART:20240501T100000", "2024-05-01T10:00:00"],
    ["DTSTART;TZID=America/New_York:20240115T090000", "2024-01-15T09:00:00-05:00"],
    ["DTSTART;TZID=America/New_York:20240310T033000", "2024-03-10T03:30:00-04:00"],
    ["DTSTART;TZID=Asia/Kolkata:20240501T100000", "2024-05-01T10:00:00+05:30"],
    ["DTSTART;TZID=Etc/UTC:20240501T100000", "2024-05-01T10:00:00Z"],
    ["DTSTART;TZID=/example.org/Europe/Berlin:20240115T100000", "2024-01-15T10:00:00+01:00"],
    ["DTSTART;TZID=Office Time:20240115T100000", "2024-01-15T10:00:00+01:00"],
    ["DTSTART;TZID=Office Time:20240715T100000", "2024-07-15T10:00:00+02:00"],
    ["DTSTART;TZID=Nobody Knows:20240501T100000", "2024-05-01T10:00:00"],
  ];
  for (const [line, start, all_day = false] of times) {
    test(line, async () => {
      const event = await readEvent("UID:1", line);
      assert.deepEqual([event.start, event.all_day], [start, all_day]);
    });
  }

  test("of an end may come from a duration", async () => {
    const end = async (...lines: string[]) => (await readEvent("UID:1", ...lines)).end;
    assert.equal(await end("DTSTART:20240501T233000Z", "DURATION:PT1H"), "2024-05-02T00:30:00Z");
    assert.equal(await end("DTSTART;VALUE=DATE:20240501", "DURATION:P1D"), "2024-05-02");
    assert.equal(
      await end("DTSTART;TZID=Europe/Berlin:20240501T100000", "DURATION:P1DT30M"),
      "2024-05-02T10:30:00+02:00",
    );
  });
});

test("a changed occurrence of a series is a record beside the series", async () => {
  const { stream } = await read(
    makeEvent("UID:1", "DTSTART:20240501T100000Z", "RRULE:FREQ=DAILY"),
    makeEvent("UID:1", "RECURRENCE-ID:20240503T100000Z", "DTSTART:20240503T120000Z"),
  );
  assert.deepEqual([...stream("events").keys()], ["1", "1~2024-05-03T10:00:00Z"]);
});

test("events with one UID are separated by content, and equal events are taken once", async () => {
  const event = makeEvent("UID:1", "SUMMARY:A");
  const { stream } = await read(event, event, makeEvent("UID:1", "SUMMARY:B"), event);
  assert.deepEqual(
    [...stream("events")].map(([key, { summary }]) => [key, summary]),
    [
      ["1", "A"],
      ["1~2", "B"],
    ],
  );
});

test("an event without a UID has a key that stays the same", async () => {
  const keys = async () => [...(await read(makeEvent("SUMMARY:A"))).stream("events").keys()];
  assert.deepEqual(await keys(), await keys());
  assert.match((await keys())[0]!, /^[0-9a-f]{64}$/);
});

test("tasks and journal entries have separate streams; other components are counted", async () => {
  const { stream, notes } = await read(
    "BEGIN:VTODO\r\nUID:t\r\nSUMMARY:Buy peas\r\nDUE;VALUE=DATE:20240601\r\nPERCENT-COMPLETE:50\r\nEND:VTODO",
    "BEGIN:VJOURNAL\r\nUID:j\r\nDTSTART;VALUE=DATE:20240602\r\nDESCRIPTION:It rained\r\nEND:VJOURNAL",
    "BEGIN:VFREEBUSY\r\nUID:f\r\nEND:VFREEBUSY",
  );
  const { due, percent_complete } = stream("todos").get("t")!;
  assert.deepEqual([due, percent_complete], ["2024-06-01", 50]);
  assert.deepEqual(
    [stream("journals").get("j")?.description, notes],
    ["It rained", ["Left out: 1 components of the kind VFREEBUSY."]],
  );
});

test("several calendars in one file have their own names", async () => {
  const file =
    makeCalendar("X-WR-CALNAME:Home\\, sweet", makeEvent("UID:1")) + makeCalendar(makeEvent("UID:2"));
  const { stream } = await readAll(calendar, { "both.ics": file });
  assert.deepEqual(
    [...stream("events").values()].map((event) => event.calendar),
    ["Home, sweet", "both"],
  );
});

suite("broken parts are rejected by their place, and the rest is read:", () => {
  test("a line", async () => {
    const { stream, rejected } = await read(
      makeEvent("UID:1", "DTSTART:garbage", "no colon here", "RRULE:FREQ=NOPE", "SUMMARY:kept"),
    );
    assert.deepEqual(stream("events").get("1")?.summary, "kept");
    assert.deepEqual(
      rejected.map(({ place }) => place),
      ["work.ics, line 7", "work.ics, line 8", "work.ics, line 6"],
    );
    assert.doesNotMatch(rejected.map(({ reason }) => reason).join(), /garbage|colon|NOPE/);
  });

  test("an event without an end", async () => {
    const { stream, rejected } = await read(
      "BEGIN:VEVENT\r\nUID:1",
      makeEvent("UID:2"),
      "BEGIN:VEVENT\r\nUID:3",
    );
    assert.deepEqual([...stream("events").keys()], ["2"]);
    assert.deepEqual(
      rejected.map(({ place, reason }) => [place, reason]),
      [
        ["work.ics, line 4", "A VEVENT has no END line."],
        ["work.ics, line 9", "A VEVENT has no END line."],
      ],
    );
  });

  test("a file among calendars", async () => {
    const { rejected } = await readAll(calendar, { "a.ics": makeCalendar(), "b.txt": "words" });
    assert.deepEqual(
      rejected.map(({ place }) => place),
      ["b.txt"],
    );
  });
});

test("R75 a duration or a zone that a library would expand for hours is reported, and the event is kept", async () => {
  const hostile = OFFICE_ZONE.replaceAll("FREQ=YEARLY", "FREQ=SECONDLY").replaceAll("TZID:", "TZID:Hostile ");
  const { stream, rejected } = await read(
    hostile,
    makeEvent("UID:1", "SUMMARY:long", "DTSTART:20240501T100000Z", "DURATION:P999999999999999999W"),
    makeEvent("UID:2", "SUMMARY:late", "DTSTART:99990501T100000Z", "DURATION:P9999W"),
    makeEvent("UID:3", "DTSTART;TZID=Hostile W. Europe Standard Time:20240501T100000"),
    makeEvent("UID:4", "DTSTART:20240501T100000Z", "DURATION:-PT15M"),
    makeEvent("UID:5", "DTSTART:20240501T100000Z", "DURATION:P"),
  );
  const events = stream("events");
  assert.deepEqual([events.size, events.get("1")?.end, events.get("2")?.end], [5, undefined, undefined]);
  assert.equal(events.get("4")?.end, "2024-05-01T09:45:00Z");
  assert.deepEqual(
    rejected.map(({ reason }) => reason),
    Array.from({ length: 3 }, () => "The line cannot be read; the rest of its component was."),
  );
});

test("a zone of the calendar gives the offset of each day, also by fixed dates and days of the month", async () => {
  const period = (kind: string, ...lines: string[]) =>
    [`BEGIN:${kind}`, ...lines, `END:${kind}`].join("\r\n");
  const zone = (name: string, ...periods: string[]) =>
    [`BEGIN:VTIMEZONE\r\nTZID:${name}`, ...periods, "END:VTIMEZONE"].join("\r\n");
  const south = zone(
    "South",
    period(
      "STANDARD",
      "DTSTART:16010101T030000",
      "TZOFFSETFROM:+1300",
      "TZOFFSETTO:+1200",
      "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=1SU;BYMONTH=4",
    ),
    period(
      "DAYLIGHT",
      "DTSTART:16010101T020000",
      "TZOFFSETFROM:+1200",
      "TZOFFSETTO:+1300",
      "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=9",
    ),
  );
  const old = zone(
    "Old",
    period(
      "DAYLIGHT",
      "DTSTART:19870405T020000",
      "TZOFFSETFROM:-0500",
      "TZOFFSETTO:-0400",
      "RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=SU;BYMONTHDAY=1,2,3,4,5,6,7;UNTIL=20060402T070000Z",
    ),
    period(
      "STANDARD",
      "DTSTART:19671029T020000",
      "TZOFFSETFROM:-0400",
      "TZOFFSETTO:-0500",
      "RDATE:20001029T020000,20061029T020000",
    ),
  );
  const start = async (tzid: string, time: string) => {
    const { stream } = await read(south, old, makeEvent("UID:1", `DTSTART;TZID=${tzid}:${time}`));
    return stream("events").get("1")?.start;
  };
  assert.equal(await start("South", "20251008T090000"), "2025-10-08T09:00:00+13:00");
  assert.equal(await start("South", "20250405T235959"), "2025-04-05T23:59:59+13:00");
  assert.equal(await start("South", "20250701T090000"), "2025-07-01T09:00:00+12:00");
  assert.equal(await start("Old", "20000501T090000"), "2000-05-01T09:00:00-04:00");
  assert.equal(await start("Old", "20001201T090000"), "2000-12-01T09:00:00-05:00");
  assert.equal(await start("Old", "20300501T090000"), "2030-05-01T09:00:00-05:00");
  assert.equal(await start("Old", "19500101T090000"), "1950-01-01T09:00:00-04:00");
});

test("R72 a component without content is rejected, not stored", async () => {
  const { stream, rejected } = await read("BEGIN:VEVENT\r\nDTSTAMP:20240501T100000Z\r\nEND:VEVENT");
  assert.deepEqual([stream("events").size, rejected[0]?.reason], [0, "The VEVENT has no content."]);
});

test("a line may be folded inside a character, and a file written in UTF-16", async () => {
  const name = Buffer.from("SUMMARY:caf\u00e9 \u65e5\u672c");
  for (let at = 9; at < name.length; at += 1) {
    const folded = Buffer.concat([name.subarray(0, at), Buffer.from("\r\n "), name.subarray(at)]);
    const parts = ["BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\n", folded, "\r\nEND:VEVENT\r\nEND:VCALENDAR"];
    const file = Buffer.concat(parts.map((part) => Buffer.from(part)));
    assert.equal(
      (await readAll(calendar, { a: file })).stream("events").get("1")?.summary,
      "caf\u00e9 \u65e5\u672c",
    );
  }
  const wide = Buffer.from(`\ufeff${makeCalendar(makeEvent("UID:1", "SUMMARY:caf\u00e9"))}`, "utf16le");
  assert.equal(await matchesFiles(calendar, createMemoryFiles("a", { a: wide })), true);
  assert.equal((await readAll(calendar, { a: wide })).stream("events").get("1")?.summary, "caf\u00e9");
});

test("reading resumes after any checkpoint and gives the rest", async () => {
  const files = {
    "a.ics": makeCalendar(makeEvent("UID:1", "bad line"), makeEvent("UID:2")),
    "b.ics": makeCalendar(makeEvent("UID:1", "SUMMARY:other"), "BEGIN:VEVENT"),
  };
  const whole = (await readAll(calendar, files)).items;
  assert.equal(whole.length, 5);
  for (const [at, { checkpoint }] of whole.entries()) {
    assert.deepEqual((await readAll(calendar, files, checkpoint)).items, whole.slice(at + 1));
  }
});

test("calendars are detected by their first line", async () => {
  const matches = (content: string) =>
    matchesFiles(calendar, createMemoryFiles("x", { "any.name": content }));
  assert.deepEqual(
    await Promise.all(["\r\n begin:vcalendar\r\n", "\ufeffBEGIN:VCALENDAR", "BEGIN:VCARD", ""].map(matches)),
    [true, true, false, false],
  );
});
