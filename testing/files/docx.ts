/** Minimal Word documents for tests (ECMA-376 part 2). */
import { createZip, type FixtureEntry } from "./zip.ts";

const TYPES = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
<Override PartName="/word/header1.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.header+xml"/>
<Override PartName="/word/header2.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.header+xml"/>
<Override PartName="/word/footer1.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.footer+xml"/></Types>`;

const RELATIONSHIPS = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`;

/** Writes a document of paragraphs. */
export function makeDocx(
  paragraphs: readonly string[],
  title?: string,
  extra: readonly FixtureEntry[] = [],
): Uint8Array {
  const body = paragraphs.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join("");
  return packDocx(`<w:body>${body}</w:body>`, title, extra);
}

/** A part of a document beside its body, such as `footnotes`, with the XML inside its root. */
export function makeDocxPart(name: string, root: string, content: string): FixtureEntry {
  const xml = `<?xml version="1.0"?><w:${root} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${content}</w:${root}>`;
  return { path: `word/${name}.xml`, content: xml, packed: true };
}

/** Writes a document around the XML of a body. */
export function packDocx(body: string, title = "", extra: readonly FixtureEntry[] = []): Uint8Array {
  return createZip([
    { path: "[Content_Types].xml", content: TYPES, packed: true },
    { path: "_rels/.rels", content: RELATIONSHIPS, packed: true },
    {
      path: "word/document.xml",
      content: `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${body}</w:document>`,
      packed: true,
    },
    {
      path: "docProps/core.xml",
      content: `<cp:coreProperties><dc:title>${title}</dc:title><dcterms:created xsi:type="dcterms:W3CDTF">2024-05-01T08:30:00Z</dcterms:created></cp:coreProperties>`,
      packed: true,
    },
    ...extra,
  ]);
}
