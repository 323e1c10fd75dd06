import { getDocumentProxy } from "unpdf";

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/**
 * Lists which of the given pages show pictures, without decoding any. With a size limit, pdf.js skips pictures; told to
 * stop at errors as well, it drops the rest of the page. A page with fewer operators then has a picture.
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
