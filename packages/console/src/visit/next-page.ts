/** Where to go after signing in: only ever a page of this console. */
const HOME = "/console";

/** The page to go to; the first page in place of anything that leads elsewhere. */
export function parseNextPage(text: string | undefined | null): string {
  if (!text?.startsWith("/") || !URL.canParse(text, "http://here")) return HOME;
  const { origin, pathname, search } = new URL(text, "http://here");
  const isOurs = origin === "http://here" && (pathname === HOME || pathname.startsWith(`${HOME}/`));
  return isOurs ? pathname + search : HOME;
}
