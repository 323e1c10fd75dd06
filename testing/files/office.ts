/** Presentations, books and OLE2 files for tests. */
import { createZip } from "./zip.ts";

const RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** One slide: the XML of its shapes, and of the shapes of its notes. */
export interface FixtureSlide {
  readonly shapes: string;
  readonly notes?: string;
  readonly is_hidden?: boolean;
}

/** A shape with paragraphs; `kind` is that of its placeholder. */
export function makeShape(paragraphs: readonly string[], kind?: string): string {
  const place = kind === undefined ? "" : `<p:nvPr><p:ph type="${kind}"/></p:nvPr>`;
  const texts = paragraphs.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`);
  return `<p:sp>${place}<p:txBody>${texts.join("")}</p:txBody></p:sp>`;
}

/** Writes a presentation (ECMA-376 part 1, §19). The order of slides is not that of their names. */
export function makePptx(slides: readonly FixtureSlide[], title = ""): Uint8Array {
  const name = (at: number) => slides.length - at;
  const relate = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATION}/${type}" Target="${target}"/>`;
  const entries = slides.flatMap(({ shapes, notes, is_hidden }, at) => [
    {
      path: `ppt/slides/slide${name(at)}.xml`,
      content: `<p:sld${is_hidden ? ' show="0"' : ""}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
    },
    ...(notes === undefined
      ? []
      : [
          {
            path: `ppt/slides/_rels/slide${name(at)}.xml.rels`,
            content: `<Relationships>${relate("rId1", "notesSlide", `../notesSlides/notes${at}.xml`)}</Relationships>`,
          },
          { path: `ppt/notesSlides/notes${at}.xml`, content: `<p:notes>${notes}</p:notes>` },
        ]),
  ]);
  return createZip([
    { path: "[Content_Types].xml", content: "<Types/>" },
    {
      path: "ppt/presentation.xml",
      content: `<p:presentation><p:sldIdLst>${slides.map((_, at) => `<p:sldId id="${at + 256}" r:id="rId${at + 1}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    },
    {
      path: "ppt/_rels/presentation.xml.rels",
      content: `<Relationships>${slides.map((_, at) => relate(`rId${at + 1}`, "slide", `slides/slide${name(at)}.xml`)).join("")}</Relationships>`,
    },
    {
      path: "docProps/core.xml",
      content: `<cp:coreProperties><dc:title>${title}</dc:title></cp:coreProperties>`,
    },
    ...entries,
  ]);
}

/** Writes a book (EPUB 3.3) of chapters in HTML. Their order is not that of their names. */
export function makeEpub(chapters: readonly string[], metadata: string): Uint8Array {
  const name = (at: number) => `c ${chapters.length - at}.xhtml`;
  const items = chapters.map((_, at) => `<item id="i${at}" href="${encodeURI(name(at))}"/>`);
  const spine = chapters.map((_, at) => `<itemref idref="i${at}"/>`);
  return createZip([
    { path: "mimetype", content: "application/epub+zip" },
    {
      path: "META-INF/container.xml",
      content: '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    },
    {
      path: "OEBPS/book.opf",
      content: `<package><metadata>${metadata}</metadata><manifest>${items.join("")}<item id="css" href="a.css"/></manifest><spine>${spine.join("")}</spine></package>`,
    },
    ...chapters.map((content, at) => ({
      path: `OEBPS/${name(at)}`,
      content: `<html><body>${content}</body></html>`,
    })),
  ]);
}
