import { countChars } from "@rungs/evidence";

/** The text of pages, slides or chapters, and where each begins, in code points. */
export function joinPages(pages: readonly string[]): {
  text: string;
  page_starts: number[];
  page_count: number;
} {
  const page_starts: number[] = [];
  const texts: string[] = [];
  let start = 0;
  for (const [at, page] of pages.entries()) {
    page_starts.push(start);
    const text = at === pages.length - 1 ? page : `${page}\n\n`;
    texts.push(text);
    start += countChars(text);
  }
  return { text: texts.join(""), page_starts, page_count: pages.length };
}
