import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { htmlToText } from "./html-text.ts";

const text = (html: string): string => htmlToText(html).text;

test("a page is read as its paragraphs, lists, rows and lines", () => {
  const html = `<html><head><title> A &amp;
    B </title></head><body><h1>Head</h1><p>One<p>Two<br>lines <img src="http://x.example/p.png" alt="a cat">
    <ul><li>a<li>b<ul><li>c</ul></ul><ol><li>x</li><li>y</li></ol>
    <table><tr><td>1</td><td>2</td></tr><tr><td>3<td>4</table><pre>  a\n   b</pre><blockquote>said</blockquote>`;
  const { title, ...page } = htmlToText(html);
  assert.equal(title, "A & B");
  assert.equal(
    page.text,
    "Head\n\nOne\n\nTwo\nlines a cat\n\n* a\n* b\n* c\n\n1. x\n2. y\n\n1 2\n3 4\n\n  a\n   b\n\nsaid",
  );
});

test("scripts, styles, comments and embedded objects are not text", () => {
  const html = `<style>p{}</style><script>"<p>no</p>"</script><!-- no --><template>no</template><svg><text>no</text></svg>yes`;
  assert.equal(text(html), "yes");
});

test("links are listed once each, without scripts, fragments and data URLs", () => {
  const html = `<a href="https://x.example/?a=1&amp;b=2">one</a> <a href="https://x.example/?a=1&amp;b=2">again</a>
    <a href="javascript:alert(1)">js</a> <a href="#top">top</a> <a href="data:text/html,x">data</a> <a>none</a>`;
  assert.deepEqual(htmlToText(html).links, ["https://x.example/?a=1&b=2"]);
  assert.equal(text(html), "one again js top data none");
});

suite("hidden text is kept separate", () => {
  const hiding = [
    "hidden",
    'style="display:none"',
    "style='color: red; DISPLAY : none !important'",
    "style=display:none",
    'style="visibility:hidden"',
    'style="font-size:0"',
    'style="font-size: 0px; color:red"',
    'style="opacity:0.0"',
    'style="mso-hide:all"',
  ];
  for (const attribute of hiding) {
    test(attribute, () => {
      const page = htmlToText(`<p>seen <span class="a" ${attribute} id=b>un<b>seen</b></span> too`);
      assert.deepEqual([page.text, page.hidden], ["seen too", "un seen"]);
    });
  }

  test("also below the depth that is parsed", () => {
    const deep = `${"<div>".repeat(300)}<b hidden>unseen</b>seen${"</div>".repeat(300)}`;
    assert.equal(text(deep), "seen");
  });

  test("and small or faint text is not hidden", () => {
    for (const style of ["font-size:0.9em", "font-size:08px", "opacity:0.5", "opacity:.1"]) {
      assert.equal(text(`<p style="${style}">seen`), "seen", style);
    }
  });
});

suite("a hostile page is read in linear time", () => {
  const pages: Readonly<Record<string, string>> = {
    "100,000 tags deep": `${"<div>".repeat(100_000)}deep${"</div>".repeat(100_000)}`,
    "100,000 tags deep and never closed": `${"<b>".repeat(100_000)}deep`,
    "100,000 ends of what never began": `${"<b>".repeat(100_000)}deep${"</i>".repeat(100_000)}`,
    "100,000 quotes deep": `${"<blockquote>".repeat(100_000)}deep`,
    "100,000 lists deep": `${"<ul><li hidden=''></li>".repeat(100_000)}deep`,
    "a run of spaces": `<pre>${" ".repeat(1_000_000)}deep</pre>`,
    "comments without an end": `deep${"<!--".repeat(250_000)}`,
    "tags without an end": `deep${"<a".repeat(500_000)}`,
    "attributes without an end": `deep${'<a x="'.repeat(150_001)}`,
    "quotes in odd places": `${"<p it's>".repeat(100_000)}deep`,
  };
  for (const [name, html] of Object.entries(pages)) {
    test(name, () => assert.equal(text(html).replace(/^[*\s]+/, ""), "deep"));
  }
});

test("it never throws, and keeps words outside tags", () => {
  const piece = fc.constantFrom(
    "<p>",
    "</p>",
    "<div hidden>",
    "<b a='",
    '"',
    ">",
    "<!--",
    "-->",
    "<td>",
    "</x>",
    "&lt;",
    "<",
    "a",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => typeof text(pieces.join("")) === "string"),
  );
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("<p>", "</p>", "<b>", "</i>", "<td>", "word "), { maxLength: 40 }),
      (pieces) => {
        assert.equal(
          text(pieces.join("")).match(/word/g)?.length ?? 0,
          pieces.filter((one) => one === "word ").length,
        );
      },
    ),
  );
});
