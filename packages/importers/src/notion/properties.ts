import type { NotionPage } from "./markdown-page.ts";

/** Properties, with the people and times that Notion itself writes among them. */
export function describeProperties(properties: NotionPage["properties"]): object {
  const find = (names: RegExp) => Object.entries(properties).find(([name]) => names.test(name))?.[1];
  const created_at = readNotionTime(find(/^created(?: time| at)?$/i));
  return {
    properties,
    people: find(/^(?:created by|author)$/i),
    created_at,
    edited_at: readNotionTime(find(/^(?:last edited(?: time)?|updated(?: at)?)$/i)) ?? created_at,
  };
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** `January 5, 2024 10:20 AM`, `January 5, 2024`, `2024-01-05`, `2024/01/05 10:20`, with `@` before it in HTML; read as UTC. */
export function readNotionTime(text: string | undefined): string | undefined {
  const written = (text ?? "").trim().replace(/^@/, "");
  const [, name, day, year, hour, minute, half] =
    /^([A-Za-z]{3})[a-z]* (\d\d?), (\d{4})(?: (\d\d?):(\d\d)(?: ([AP])M)?)?$/.exec(written) ?? [];
  if (name !== undefined) {
    const hours = half === undefined ? Number(hour ?? 0) : (Number(hour) % 12) + (half === "P" ? 12 : 0);
    return toTime([
      Number(year),
      MONTHS.indexOf(name.toLowerCase()) + 1,
      Number(day),
      hours,
      Number(minute ?? 0),
    ]);
  }
  const parts = /^(\d{4})[-/](\d\d)[-/](\d\d)(?:[ T](\d\d):(\d\d))?/.exec(written)?.slice(1, 6);
  return parts && toTime(parts.map((part) => Number(part ?? 0)));
}

function toTime([year = 0, month = 0, day = 0, hour = 0, minute = 0]: readonly number[]): string | undefined {
  const time = new Date(Date.UTC(year, month - 1, day, hour, minute));
  return month > 0 && time.getUTCDate() === day ? time.toISOString() : undefined;
}
