import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { makeDocxPart, packDocx } from "../../../../../testing/files/docx.ts";
import type { FixtureEntry } from "../../../../../testing/files/zip.ts";
import type { Extraction } from "../extraction.ts";
import { EXTRACTION_LIMITS } from "../limits.ts";
import { extractDocx } from "./docx-text.ts";

async function read(body: string, parts: readonly FixtureEntry[] = []) {
  const extraction: Extraction = await extractDocx(
    packDocx(`<w:body>${body}</w:body>`, "", parts),
    EXTRACTION_LIMITS,
  );
  assert.equal(extraction.kind, "text");
  return extraction;
}

const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const item = (text: string, num: number, level = 0) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${num}"/></w:numPr></w:pPr>${run(text)}</w:p>`;
const styled = (text: string, style: string) =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${run(text)}</w:p>`;
const level = (at: number, format: string, text: string, more = "") =>
  `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;

const NUMBERING = makeDocxPart(
  "numbering",
  "numbering",
  `<w:abstractNum w:abstractNumId="0">${level(0, "decimal", "%1.")}${level(1, "lowerLetter", "%1.%2)")}${level(2, "upperRoman", "(%3)")}</w:abstractNum>
<w:abstractNum w:abstractNumId="1">${level(0, "bullet", "\uf0b7")}</w:abstractNum>
<w:abstractNum w:abstractNumId="2">${level(0, "decimal", "Chapter %1:", '<w:pStyle w:val="Heading1"/>')}${level(1, "decimal", "%1.%2", '<w:pStyle w:val="Heading2"/>')}</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>`,
);
const STYLES = makeDocxPart(
  "styles",
  "styles",
  `<w:style w:styleId="Heading1"><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>
<w:style w:styleId="Heading2"><w:basedOn w:val="Heading1"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="3"/></w:numPr></w:pPr></w:style>
<w:style w:styleId="Mine"><w:basedOn w:val="Heading1"/></w:style>
<w:style w:styleId="Loop"><w:basedOn w:val="Loop"/></w:style>`,
);

suite("R33 the text of a Word document", () => {
  test("has the numbers of its lists and headings, which its text does not contain", async () => {
    const body = [
      styled("Intro", "Heading1"),
      item("one", 1),
      item("under", 1, 1),
      item("deep", 1, 2),
      item("deeper", 1, 2),
      item("two", 1),
      item("again", 1, 1),
      item("dot", 2),
      styled("Part", "Heading2"),
      styled("Next", "Mine"),
      styled("Part", "Heading2"),
      item("seven", 4),
      item("eight", 4),
      item("plain", 0),
      styled("loop", "Loop"),
    ];
    const { text } = await read(body.join(""), [NUMBERING, STYLES]);
    assert.deepEqual(text.split("\n\n"), [
      "Chapter 1: Intro",
      "1. one",
      "1.a) under",
      "(I) deep",
      "(II) deeper",
      "2. two",
      "2.a) again",
      "* dot",
      "1.1 Part",
      "Chapter 2: Next",
      "2.1 Part",
      "7. seven",
      "8. eight",
      "plain",
      "loop",
    ]);
  });

  test("has what a reader sees: changes accepted, one of two alternatives, text boxes, descriptions, ruby text", async () => {
    const box = `<w:txbxContent><w:p>${run("boxed")}</w:p></w:txbxContent>`;
    const body = [
      `<w:p>${run("kept")}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins>${run(" new")}</w:ins></w:p>`,
      `<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>${run("split ")}</w:p><w:p>${run("joined")}</w:p>`,
      `<w:p><w:r><mc:AlternateContent><mc:Choice>${box}</mc:Choice><mc:Fallback>${box}</mc:Fallback></mc:AlternateContent></w:r></w:p>`,
      `<w:p><w:r><wp:docPr descr="a red fox"/></w:r></w:p>`,
      `<w:p><w:r><w:ruby><w:rt>${run("kan")}</w:rt><w:rubyBase>${run("漢")}</w:rubyBase></w:ruby></w:r></w:p>`,
      `<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:tab/><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:sym w:char="F0FE"/></w:r></w:p>`,
      `<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>${run("open")}</w:p>`,
      `<w:p><m:oMath><m:r><m:t>E=m</m:t></m:r></m:oMath></w:p>`,
    ];
    const { text, hidden } = await read(body.join(""));
    assert.deepEqual(
      text.split(/\n+/).map((line) => line.trim()),
      ["kept new", "split joined", "boxed", "a red fox", "漢(kan)", "a-b☒", "open", "E=m"],
    );
    assert.equal(hidden, "secret");
  });

  test("is read by relationships, whatever the names and prefixes, and reports what is missing", async () => {
    const rels = `<Relationships><Relationship Id="a" Type="http://x/footnotes" Target="/notes/n.xml"/><Relationship Id="b" Type="http://x/hyperlink" Target="https://a.example/" TargetMode="External"/></Relationships>`;
    const notes = `<n:footnotes><n:footnote n:id="2"><n:p><n:r><n:t>Below</n:t></n:r></n:p></n:footnote></n:footnotes>`;
    const extraction = await read(
      `<x:p><x:r><x:t>Above</x:t><x:footnoteReference x:id="2"/></x:r></x:p><x:altChunk/>`,
      [
        { path: "word/_rels/document.xml.rels", content: rels, packed: true },
        { path: "notes/n.xml", content: notes, packed: true },
      ],
    );
    assert.equal(extraction.text, "Above[1]\n\n[1] Below");
    assert.deepEqual(extraction.links, ["https://a.example/"]);
    assert.equal(extraction.missing, "1 embedded documents were not read.");
    const cut = await extractDocx(packDocx(`<w:body><w:p>${run("begun")}</w:p><w:p`), EXTRACTION_LIMITS);
    assert.ok(cut.kind === "text");
    assert.match(cut.missing ?? "", /ends early/);
  });

  test("of 100,000 paragraphs is read whole", async () => {
    const count = 100_000;
    const body = Array.from({ length: count }, (_, at) => `<w:p>${run(`word${at}`)}</w:p>`).join("");
    const { text, missing } = await read(body);
    assert.equal(text.split("\n\n").length, count);
    assert.equal(missing, undefined);
  });
});
