import { parseTimeMs } from "@rungs/contract";

const DATE = /^D:(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:Z|([+-])(\d{2})'?(\d{2})?'?)?/;

/** A PDF's date (ISO 32000-1 §7.9.4) as RFC 3339; without an offset it is taken for UTC. Undefined when it is none. */
export function parsePdfDate(text: string): string | undefined {
  const [
    whole,
    year,
    month = "01",
    day = "01",
    hour = "00",
    minute = "00",
    second = "00",
    sign,
    hours,
    minutes,
  ] = DATE.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const offset = sign === undefined ? "Z" : `${sign}${hours}:${minutes ?? "00"}`;
  const time = `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`;
  return parseTimeMs(time) === undefined ? undefined : time;
}
