/** Whether a name is an IANA time zone, such as Europe/Berlin. An offset such as +05:00 is not: it knows no summer time. */
export function isZoneName(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
