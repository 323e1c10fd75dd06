import { getDocumentProxy } from "unpdf";

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/**
 * Lists the pages, of those given, that show pictures, without decoding one. With a limit of size pdf.js leaves pictures
 * out; told to stop at errors as well, it gives up the rest of the page. A page with fewer operators then has a picture.
 */
export async function listPicturePages(
  pdf: Pdf,
  pages: readonly number[],
  options: object,
): Promise<number[]> {
  if (pages.length === 0) return [];
  const strict = await getDocumentProxy(await pdf.getData(), { ...options, stopAtErrors: true });
  const found: number[] = [];
  try {
    for (const number of pages) {
      if ((await countOperators(strict, number)) < (await countOperators(pdf, number))) found.push(number);
    }
  } finally {
    await strict.loadingTask.destroy();
  }
  return found;
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
