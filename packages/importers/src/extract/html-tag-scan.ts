/** One tag of a page. */
export interface HtmlTag {
  readonly name: string;
  readonly kind: "open" | "close";
  /** Whether its attributes hide its content. */
  readonly hidden: boolean;
  /** The start of the text after it. */
  readonly end: number;
}

const NAME = /<(\/?)([a-zA-Z][^\s/>]*)/y;
const SPACE = /[\s/]*/y;
const ATTRIBUTE = /([^\s/>][^\s/>=]*)\s*(=?)\s*/y;
const BARE_VALUE = /[^\s>]*/y;

/** Styles that hide content: https://www.w3.org/TR/css-display-4/, and Outlook's `mso-hide`. */
const HIDING = [
  /(?:^|;)\s*display\s*:\s*none/i,
  /(?:^|;)\s*visibility\s*:\s*(?:hidden|collapse)/i,
  /(?:^|;)\s*(?:font-size|opacity)\s*:\s*0*(?:\.0*)?(?:[a-z]+|%)?\s*(?:!|;|$)/i,
  /(?:^|;)\s*mso-hide\s*:\s*all/i,
];

/**
 * Scans the tag at `at` like the tokenizer of the HTML standard (§13.2.5). Undefined if there is no tag; `endless` if the
 * page ends inside it.
 */
export function scanTag(html: string, at: number): HtmlTag | "endless" | undefined {
  const [opening, slash, name] = match(NAME, html, at) ?? [];
  if (opening === undefined || name === undefined) return undefined;
  let hidden = false;
  for (let position = at + opening.length; ; ) {
    position += match(SPACE, html, position)?.[0].length ?? 0;
    if (position >= html.length) return "endless";
    if (html[position] === ">") {
      return { name: name.toLowerCase(), kind: slash === "/" ? "close" : "open", hidden, end: position + 1 };
    }
    const attribute = scanAttribute(html, position);
    if (!attribute) return "endless";
    hidden ||= isHiding(attribute.name, attribute.value);
    position = attribute.end;
  }
}

function scanAttribute(html: string, at: number): { name: string; value: string; end: number } | undefined {
  const [whole = "", name = "", equals] = match(ATTRIBUTE, html, at) ?? [];
  const from = at + whole.length;
  if (equals !== "=") return { name, value: "", end: from };
  const quote = html[from];
  if (quote !== '"' && quote !== "'") {
    const [value = ""] = match(BARE_VALUE, html, from) ?? [];
    return { name, value, end: from + value.length };
  }
  const end = html.indexOf(quote, from + 1);
  return end < 0 ? undefined : { name, value: html.slice(from + 1, end), end: end + 1 };
}

function isHiding(name: string, value: string): boolean {
  const lower = name.toLowerCase();
  return lower === "hidden" || (lower === "style" && HIDING.some((pattern) => pattern.test(value)));
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
