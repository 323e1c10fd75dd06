import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMailDate } from "./mail-date.ts";

const known: Readonly<Record<string, string>> = {
  "Wed, 17 May 2000 19:08:29 -0400": "2000-05-17T23:08:29.000Z",
  "17 May 2000 19:08 +0530": "2000-05-17T13:38:00.000Z",
  "Fri, 21 Nov 1997 09(comment):   55  :  06 -0600": "1997-11-21T15:55:06.000Z",
  "Thu,\t13 Feb 69 23:32:54 -0330 (Newfoundland Time)": "1969-02-14T03:02:54.000Z",
  "21 Nov 97 09:55:06 GMT": "1997-11-21T09:55:06.000Z",
  "1 Jan 04 00:00:00 EST": "2004-01-01T05:00:00.000Z",
  "16 May 2016 at 09:30:32  GMT+1": "2016-05-16T08:30:32.000Z",
  "Mon Jun  1 10:00:00 2009": "2009-06-01T10:00:00.000Z",
  "Mon Sep 29 12:04:05 +0200 2025": "2025-09-29T10:04:05.000Z",
  "Monday, May 03, 2010 4:21 PM": "2010-05-03T16:21:00.000Z",
  "3 May 2010 12:21:00 am": "2010-05-03T00:21:00.000Z",
  "2009-06-01T10:00:00+02:00": "2009-06-01T08:00:00.000Z",
  "Thu, 1 Jan 1970 00:00:00 +0000": "1970-01-01T00:00:00.000Z",
  "Fri, 31 Dec 2999 23:59:60 +0000": "3000-01-01T00:00:00.000Z",
  "Wed, 17 May 2000 19:08:29": "2000-05-17T19:08:29.000Z",
};

test("parses dates in every form found in mail, as UTC", () => {
  for (const [value, time] of Object.entries(known)) assert.equal(parseMailDate(value), time, value);
});

test("a broken date is rejected, and never turned into another date", () => {
  const broken = [
    "",
    "<HR>",
    "date",
    "Message 2",
    "Wed, 15 Dec 2010    59:10 -0500",
    "Pn, 29 paX 2007 21:13:00 +0100",
    "31 Feb 2010 10:00:00 +0000",
    "1 Jan 2010 25:00:00 +0000",
    "1 Jan 2010 10:61:00 +0000",
    "2010",
    "0 Jan 2010 10:00",
  ];
  for (const value of broken) assert.equal(parseMailDate(value), undefined, value);
});

test("parses only the start of a value, so that a long one costs nothing", () => {
  assert.equal(parseMailDate(`${"(".repeat(1_000_000)}) Mon Jun  1 10:00:00 2009`), undefined);
});
