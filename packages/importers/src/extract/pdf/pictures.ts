import { getDocumentProxy } from "unpdf";

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/**
 * Counts the pages, of those given, that show pictures, without decoding one. With a limit of size pdf.js leaves pictures
 * out; told to stop at errors as well, it gives up the rest of the page. A page with fewer operators then has a picture.
 */
export async function countPicturePages(
  pdf: Pdf,
  pages: readonly number[],
  options: object,
): Promise<number> {
  if (pages.length === 0) return 0;
  const strict = await getDocumentProxy(await pdf.getData(), { ...options, stopAtErrors: true });
  let count = 0;
  try {
    for (const number of pages) {
      if ((await countOperators(strict, number)) < (await countOperators(pdf, number))) count += 1;
    }
  } finally {
    await strict.loadingTask.destroy();
  }
  return count;
}

async function countOperators(pdf: Pdf, number: number): Promise<number> {
  const page = await pdf.getPage(number);
  try {
    return (await page.getOperatorList()).fnArray.length;
  } catch {
    return 0;
  } finally {
    page.cleanup();
  }
}
