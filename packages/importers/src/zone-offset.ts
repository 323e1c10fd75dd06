/** Offsets of time zones by their IANA names. */

/** Minutes east of UTC at a local time, given in milliseconds as if it were UTC; undefined for an unknown zone. */
export function findZoneOffset(time_zone: string, localMs: number): number | undefined {
  const format = findFormat(time_zone);
  if (!format) return undefined;
  // The offset depends on the instant, which depends on the offset: two iterations suffice.
  return offsetMinutes(format, localMs - offsetMinutes(format, localMs) * 60_000);
}

/** Whether a name is a time zone. */
export function isTimeZone(name: string): boolean {
  return findFormat(name) !== undefined;
}

function offsetMinutes(format: Intl.DateTimeFormat, timeMs: number): number {
  const name = format.formatToParts(timeMs).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours = "0", minutes = "0"] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  return (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
}

const formats = new Map<string, Intl.DateTimeFormat | undefined>();

function findFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!formats.has(timeZone)) formats.set(timeZone, createFormat(timeZone));
  return formats.get(timeZone);
}

function createFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
}
