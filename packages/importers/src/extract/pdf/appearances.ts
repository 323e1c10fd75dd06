/** The text that annotations draw: signatures, stamps, buttons and lists of choices show it and store it nowhere else. */
import { type getDocumentProxy, getResolvedPDFJS } from "unpdf";
import { cleanText } from "../../clean-text.ts";

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>["getPage"]>>;

/** A gap between glyphs that is a space, in thousandths of the font's size. */
const SPACE = -200;

/** Reads what the annotations of a page draw, by their ids. */
export async function readAppearances(page: Page): Promise<ReadonlyMap<string, string>> {
  const { OPS, AnnotationMode } = await getResolvedPDFJS();
  const { fnArray, argsArray } = await page.getOperatorList({ annotationMode: AnnotationMode.ENABLE });
  const texts = new Map<string, string>();
  let id: string | undefined;
  let [text, line] = ["", Number.NaN];
  const separate = (is_same_line: boolean): void => {
    if (text !== "" && !/\s$/.test(text)) text += is_same_line ? " " : "\n";
  };
  const readers: Readonly<Record<number, (args: readonly unknown[]) => void>> = {
    [OPS.beginAnnotation]: ([name]) => {
      [id, text, line] = [String(name), "", Number.NaN];
    },
    [OPS.endAnnotation]: () => {
      if (id !== undefined) texts.set(id, cleanText(text).trim());
      id = undefined;
    },
    [OPS.beginText]: () => separate(false),
    [OPS.nextLine]: () => separate(false),
    [OPS.moveText]: ([, y]) => separate(y === 0),
    [OPS.setTextMatrix]: ([matrix]) => {
      const y = Number((matrix as ArrayLike<number>)[5]);
      separate(y === line);
      line = y;
    },
    [OPS.showText]: ([glyphs]) => {
      text += (glyphs as readonly unknown[]).map(readGlyph).join("");
    },
  };
  fnArray.forEach((operator: number, at: number) => {
    if (id !== undefined || operator === OPS.beginAnnotation) readers[operator]?.(argsArray[at] ?? []);
  });
  return texts;
}

function readGlyph(glyph: unknown): string {
  if (typeof glyph === "number") return glyph < SPACE ? " " : "";
  const { unicode } = (glyph ?? {}) as { unicode?: unknown };
  return typeof unicode === "string" ? unicode : "";
}
