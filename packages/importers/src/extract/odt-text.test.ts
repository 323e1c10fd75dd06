import assert from "node:assert/strict";
import { test } from "node:test";
import { createZip } from "../../../../testing/files/zip.ts";
import { extractDocument } from "./extract-document.ts";
import { EXTRACTION_LIMITS } from "./limits.ts";

const NAMES = ["office", "text", "table", "style", "dc", "meta"]
  .map((name) => `xmlns:${name}="urn:${name}"`)
  .join(" ");

function readOdt(
  body: string,
  { styles = "", end = "</office:text></office:body></office:document-content>" } = {},
) {
  const content = `<?xml version="1.0"?><office:document-content ${NAMES}><office:body><office:text>${body}${end}`;
  const bytes = createZip([
    { path: "mimetype", content: "application/vnd.oasis.opendocument.text" },
    { path: "content.xml", content, packed: true },
    {
      path: "styles.xml",
      content: `<office:document-styles>${styles}</office:document-styles>`,
      packed: true,
    },
    {
      path: "meta.xml",
      content:
        "<dc:title>A &amp; B</dc:title><meta:creation-date>2024-05-01T08:30:00.12</meta:creation-date>",
      packed: true,
    },
  ]);
  return extractDocument({ bytes }, EXTRACTION_LIMITS);
}

test("R33 an OpenDocument text has its paragraphs, rows, notes, comments, headers and footers", async () => {
  const row = (...cells: string[]) =>
    `<table:table-row>${cells.map((cell) => `<table:table-cell><text:p>${cell}</text:p></table:table-cell>`).join("")}</table:table-row>`;
  const body = [
    "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>",
    "<text:h>Title \u65e5</text:h>",
    '<text:p>One<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Foot</text:p></text:note-body></text:note> &lt;two&gt;<text:s text:c="2"/>x\n  y<text:line-break/>z<office:annotation><dc:creator>Ann</dc:creator><dc:date>2024</dc:date><text:p>Why?</text:p></office:annotation></text:p>',
    `<table:table>${row("a", "b")}${row("", "d")}</table:table><text:p/>`,
    "<text:list><text:list-item><text:p>item</text:p></text:list-item></text:list>",
  ].join("\n");
  const styles =
    "<style:header><text:p>Draft</text:p></style:header><style:header><text:p>Draft</text:p></style:header><style:footer><text:p>End</text:p></style:footer>";
  assert.deepEqual(await readOdt(body, { styles }), {
    kind: "text",
    text: "Title \u65e5\n\nOne[1] <two>  x y\nz[comment 1]\n\na | b\n | d\n\nitem\n\n[1] Foot\n\n[comment 1] Ann: Why?\n\nHeader: Draft\n\nFooter: End",
    title: "A & B",
    created_at: "2024-05-01T08:30:00Z",
  });
});

test("R33 a truncated OpenDocument text says so, and endless nesting is harmless", async () => {
  const cut = await readOdt("<text:p>One</text:p><text:p>Tw", { end: "" });
  assert.deepEqual(cut.kind === "text" && [cut.text, cut.missing], [
    "One\n\nTw",
    "Its content ends early: the file is damaged.",
  ]);
  const depth = 100_000;
  const deep = await readOdt(
    `${"<text:span>".repeat(depth)}<text:p>x</text:p>${"</text:span>".repeat(depth)}`,
  );
  assert.match(deep.kind === "failed" ? deep.reason : "", /nests deeper than 1000/);
});
