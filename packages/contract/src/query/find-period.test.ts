import assert from "node:assert/strict";
import { test } from "node:test";
import { findPeriod } from "./find-period.ts";

const periodOf = (text: string) => {
  const { since, until } = findPeriod(text) ?? {};
  return since && `${since} ${until}`;
};

test("R68 a question that names a day, a month or a year names a period", () => {
  const questions: Record<string, string> = {
    "What did Joanna share in August 2022?": "2022-08-01 2022-09-01",
    "the trip of dec, 2023": "2023-12-01 2024-01-01",
    "What was said on 3 July 2023?": "2023-07-03 2023-07-04",
    "on the 28th of February, 2024": "2024-02-28 2024-02-29",
    "November 9, 2022": "2022-11-09 2022-11-10",
    "invoices of 2024-12": "2024-12-01 2025-01-01",
    "on 2024-12-31?": "2024-12-31 2025-01-01",
    "Which state did she visit in summer of 2021?": "2021-01-01 2022-01-01",
  };
  for (const [question, period] of Object.entries(questions))
    assert.equal(periodOf(question), period, question);
});

test("R68 a text without a year, with two times, or with another number names no period", () => {
  const texts = [
    "What happened in May?",
    "May I go in 2 days",
    "from May 2023 to June 2023",
    "30 February 2023",
    "2023-13",
    "order 2023-05-0199",
    "the 2019 model",
    "part AB2023",
    "",
  ];
  for (const text of texts) assert.equal(periodOf(text), undefined, text);
});
