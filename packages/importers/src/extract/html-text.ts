import { compile, type DomNode, type FormatCallback, type HtmlToTextOptions } from "html-to-text";
import { prepareTags } from "./html-tags.ts";

/** The text that a person reads on a page. */
export interface HtmlText {
  readonly text: string;
  /** Text that the page hides, for example by `display:none`. Never part of `text`. */
  readonly hidden?: string | undefined;
  readonly title?: string | undefined;
  /** The targets of its links, each once, in order. */
  readonly links: readonly string[];
  /** Whether the page was too long to read to its end. */
  readonly cut: boolean;
}

const MAX_CHARS = 16 * 1024 ** 2;
const MAX_DEPTH = 200;
const MAX_LINKS = 1000;
const MAX_LINK_CHARS = 2048;

/** Converts a page to text. Nothing is run or loaded; the time is linear in the size, whatever the nesting. */
export function htmlToText(html: string): HtmlText {
  const found: Found = { hidden: [], titles: [], links: new Set(), items: new Map() };
  const cut = html.length > MAX_CHARS;
  const text = convert(prepareTags(cut ? html.slice(0, MAX_CHARS) : html, MAX_DEPTH), found);
  const hidden = joinWords(found.hidden.join(" "));
  const title = joinWords(found.titles[0] ?? "");
  return {
    text: tidy(text),
    ...(hidden === "" ? {} : { hidden }),
    ...(title === "" ? {} : { title }),
    links: [...found.links],
    cut,
  };
}

/** What the formatters collect in addition to the text. */
interface Found {
  readonly hidden: string[];
  readonly titles: string[];
  readonly links: Set<string>;
  /** How many items of a numbered list were written. */
  readonly items: Map<DomNode | undefined, number>;
}

/** The library passes its metadata on to formatters, although its types do not say so. */
const getFound = (builder: object): Found => (builder as { metadata: Found }).metadata;

const formatters: Record<string, FormatCallback> = {
  collectHidden: (element, _walk, builder) => void getFound(builder).hidden.push(collectText(element)),
  collectTitle: (element, _walk, builder) => void getFound(builder).titles.push(collectText(element)),
  link: (element, walk, builder) => {
    const { links } = getFound(builder);
    const href = String(element.attribs?.href ?? "").trim();
    if (isKept(href) && links.size < MAX_LINKS) links.add(href);
    walk(element.children, builder);
  },
  alternative: (element, _walk, builder) => builder.addInline(String(element.attribs?.alt ?? "")),
  cell: (element, walk, builder) => {
    walk(element.children, builder);
    builder.addInline(" ");
  },
  /** Not the lists of the library: they indent each level, which multiplies the text of deep lists. */
  item: (element, walk, builder) => {
    const { items } = getFound(builder);
    const number = (items.get(element.parent) ?? 0) + 1;
    items.set(element.parent, number);
    builder.openBlock({ leadingLineBreaks: 1 });
    builder.addInline(element.parent?.name === "ol" ? `${number}. ` : "* ");
    walk(element.children, builder);
    builder.closeBlock({ trailingLineBreaks: 1 });
  },
};

const lines = (leadingLineBreaks: number): { leadingLineBreaks: number; trailingLineBreaks: number } => ({
  leadingLineBreaks,
  trailingLineBreaks: leadingLineBreaks,
});

const options: HtmlToTextOptions = {
  wordwrap: false,
  baseElements: { selectors: [] },
  limits: { maxInputLength: undefined },
  formatters,
  selectors: [
    { selector: "[hidden]", format: "collectHidden" },
    { selector: "title", format: "collectTitle" },
    { selector: "a", format: "link" },
    { selector: "img", format: "alternative" },
    { selector: "td", format: "cell" },
    { selector: "th", format: "cell" },
    { selector: "tr", format: "block", options: lines(1) },
    { selector: "li", format: "item" },
    { selector: "ul", format: "block", options: lines(2) },
    { selector: "ol", format: "block", options: lines(2) },
    { selector: "dt", format: "block", options: lines(1) },
    { selector: "dd", format: "block", options: lines(1) },
    { selector: "section", format: "block", options: lines(1) },
    { selector: "blockquote", format: "block", options: lines(2) },
    { selector: "hr", format: "block", options: lines(2) },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
    ...["template", "svg", "math", "object", "iframe"].map((selector) => ({ selector, format: "skip" })),
  ],
};

const convert = compile(options) as (html: string, found: Found) => string;

/** `prepareTags` bounds the depth. */
function collectText(node: DomNode): string {
  return node.data ?? (node.children ?? []).map(collectText).join(" ");
}

function isKept(href: string): boolean {
  return href !== "" && href.length <= MAX_LINK_CHARS && !/^(?:#|javascript:|data:)/i.test(href);
}

/** Not `/ +$/gm`, which is quadratic in a run of spaces. */
function tidy(text: string): string {
  const trimmed = text.split("\n").map((line) => line.trimEnd());
  return trimmed
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function joinWords(text: string): string {
  return text.trim().split(/\s+/).join(" ");
}
