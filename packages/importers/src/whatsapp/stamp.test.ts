import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createOrderVote, readLocalMs } from "./date-order.ts";
import { parseStamp, type Stamp } from "./stamp.ts";

suite("a message begins with", () => {
  const begins: readonly (readonly [line: string, layout: string, time: string])[] = [
    ["[31/12/20, 23:59:58] Ada: hi", "ios", "23:59:58"],
    ["\u200e[31/12/20, 11:59:58\u202fPM] Ada: hi", "ios", "23:59:58"],
    ["[07.03.26, 21:22:39] Ada: hi", "ios", "21:22:39"],
    ["[31/12/2022 11:40:26] Ada: hi", "ios", "11:40:26"],
    ["[2017-09-07, 7:58:30 AM] Ada: hi", "ios", "7:58:30"],
    ["[01-29-2018, 23:33:00] Ada: hi", "ios", "23:33:0"],
    ["31/12/2020, 23:59 - Ada: hi", "android", "23:59:0"],
    ["8/8/19, 12:25 AM - Ada: hi", "android", "0:25:0"],
    ["8/8/19, 12:25 PM - Ada: hi", "android", "12:25:0"],
    ["28/3/2025, 9:29\u00a0p.\u00a0m. - Ada: hi", "android", "21:29:0"],
    ["2021-03-18, 3:02 p.m. - Ada: hi", "android", "15:2:0"],
    ["18/12/19 15:57 - Ada: hi", "android", "15:57:0"],
    ["31/12/2020 à 23:59 - Ada: hi", "android", "23:59:0"],
    ["2020/1/1 下午3:04 - Ada: hi", "android", "15:4:0"],
    ["2020. 1. 1. 오후 3:04 - Ada: hi", "android", "15:4:0"],
    ["09/12/2012 17:03:48: Ada: hi", "legacy", "17:3:48"],
    ["[\u200f18\u200f/3\u200f/2022\u060c 14:56:01] Ada: hi", "ios", "14:56:1"],
    [
      "\u0661\u0668\u200f/\u0663\u200f/\u0662\u0660\u0662\u0662\u060c \u0662:\u0665\u0666 \u0645 - Ada: hi",
      "android",
      "14:56:0",
    ],
    ["[14:56:01, 3/18/22] Ada: hi", "ios", "14:56:1"],
    ["14:56, 18/03/2022 - Ada: hi", "android", "14:56:0"],
    ["[3/27/2565 BE, 10:10:10] Ada: hi", "ios", "10:10:10"],
    ["27/3/2565 10:10 - Ada: hi", "android", "10:10:0"],
    ["[3/27/R4, 10:10:10] Ada: hi", "ios", "10:10:10"],
    ["[\ufeff29.01.18, 12:24:03] Ada: hi", "ios", "12:24:3"],
    ["19:23, 28 Feb 2013 - Ada: hi", "android", "19:23:0"],
    ["Feb 28, 2013, 7:23 PM - Ada: hi", "android", "19:23:0"],
  ];
  for (const [line, layout, time] of begins) {
    test(line, () => {
      const stamp = parseStamp(line);
      assert.deepEqual(
        [stamp?.layout, `${stamp?.hour}:${stamp?.minute}:${stamp?.second}`, stamp?.rest],
        [layout, time, "Ada: hi"],
      );
    });
  }

  test("nothing else", () => {
    for (const line of [
      "",
      "hi",
      "[draft] Ada: hi",
      "31/12/2020",
      "1/2/3, 25:00 - Ada: hi",
      "12:30 - Ada: hi",
    ]) {
      assert.equal(parseStamp(line), undefined, line);
    }
    assert.equal(parseStamp("31/12/2020, 23:59 - quoted", "ios"), undefined);
  });
});

test("converts years of other calendars and named months to Gregorian dates", () => {
  const dates: readonly (readonly [line: string, date: string])[] = [
    ["[3/27/2565 BE, 10:10:10] Ada: hi", "2022-03-27"],
    ["27/3/2565 10:10 - Ada: hi", "2022-03-27"],
    ["[3/27/R4, 10:10:10] Ada: hi", "2022-03-27"],
    ["H31/4/30 10:10 - Ada: hi", "2019-04-30"],
    ["19:23, 2 Mar 2013 - Ada: hi", "2013-03-02"],
    ["\u06f2\u06f7/\u06f3/\u06f2\u06f0\u06f2\u06f2 10:10 - Ada: hi", "2022-03-27"],
  ];
  for (const [line, date] of dates) {
    const stamp = parseStamp(line)!;
    const vote = createOrderVote();
    vote.add(stamp);
    const timeMs = readLocalMs(stamp, vote.decide().order)!;
    assert.equal(new Date(timeMs).toISOString().slice(0, 10), date, line);
  }
});

suite("the order of the dates is", () => {
  const stamp = (date: string): Stamp => parseStamp(`${date}, 10:00 - Ada: hi`)!;
  const decide = (...dates: string[]): string => {
    const vote = createOrderVote();
    for (const date of dates) vote.add(stamp(date));
    const { order, reason } = vote.decide();
    return `${order}: ${reason}`;
  };
  const noDates = "in any other order some would not be valid dates";

  test("the one that makes all of them valid", () => {
    assert.equal(decide("01/02/2024", "13/02/2024"), `day/month/year: ${noDates}`);
    assert.equal(decide("01/02/2024", "02/13/2024"), `month/day/year: ${noDates}`);
    assert.equal(decide("2024-02-01"), `year/month/day: ${noDates}`);
  });

  test("the one in which time moves forward", () => {
    const why = "in any other order more messages would go back in time";
    assert.equal(decide("12/01/24", "01/02/24"), `day/month/year: ${why}`);
    assert.equal(decide("01/12/24", "02/01/24"), `month/day/year: ${why}`);
  });

  test("the one that keeps messages closest, and a note says when another order is as likely", () => {
    assert.match(decide("01/05/2024", "02/05/2024"), /^day\/month\/year: another order is possible/);
    assert.match(decide("05/01/2024", "05/02/2024"), /^month\/day\/year: another order is possible/);
    assert.match(decide("05/05/2024"), /^day\/month\/year: another order is as likely/);
  });

  test("kept for every date, even if it makes one invalid", () => {
    assert.equal(readLocalMs(stamp("02/13/2024"), "day/month/year"), undefined);
    assert.equal(readLocalMs(stamp("30/02/2024"), "day/month/year"), undefined);
    assert.equal(readLocalMs(stamp("29/02/24"), "day/month/year"), Date.UTC(2024, 1, 29, 10));
  });
});
