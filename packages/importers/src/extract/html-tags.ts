/**
 * Rewrites the tags of a page before it is parsed. htmlparser2 is quadratic in the nesting depth and html-to-text is
 * recursive, so tags below a depth are removed here and their text is kept. Content that an attribute hides gets the
 * attribute `hidden`, which the formatters look for. Comments are removed.
 */
import { type HtmlTag, scanTag } from "./html-tag-scan.ts";

const VOID_TAGS = new Set(
  "area base basefont br col command embed frame hr img input keygen link meta param source track wbr".split(
    " ",
  ),
);

/** Tags with an optional end tag: the next of the same name ends them. */
const SELF_ENDING_TAGS = new Set("p li td th tr dt dd option rt rp".split(" "));

/** The same page with at most `max_depth` nested tags. */
export function prepareTags(html: string, max_depth: number): string {
  const nest = createNest(max_depth);
  const pieces: string[] = [];
  const keep = (piece: string): void => {
    if (!nest.isHidden()) pieces.push(piece);
  };
  let at = 0;
  for (let open = html.indexOf("<"); open >= 0; open = html.indexOf("<", at)) {
    keep(html.slice(at, open));
    if (html.startsWith("<!--", open)) {
      const end = html.indexOf("-->", open + 4);
      if (end < 0) return pieces.join("");
      at = end + 3;
      continue;
    }
    const tag = scanTag(html, open);
    if (tag === "endless") return pieces.join("");
    at = tag?.end ?? open + 1;
    keep(tag ? writeTag(tag, html.slice(open, at), nest) : "<");
  }
  keep(html.slice(at));
  return pieces.join("");
}

/** A removed tag still separates the words around it. */
function writeTag(tag: HtmlTag, text: string, nest: Nest): string {
  if (VOID_TAGS.has(tag.name)) return text;
  const within = tag.kind === "open" ? nest.enter(tag) : nest.leave(tag.name);
  if (!within) return " ";
  const safe = isMember(tag.name) ? text.replace(/^<\/?/, "$&x-") : text;
  return tag.kind === "close" || !tag.hidden ? safe : safe.replace(/^<[^\s/>]+/, "$& hidden");
}

/** html-to-text looks names up in a plain object, where `constructor` finds the inherited member. */
function isMember(name: string): boolean {
  return name in {};
}

interface Nest {
  /** `enter` and `leave` return whether the tag is within the depth. */
  enter(tag: HtmlTag): boolean;
  leave(name: string): boolean;
  /** Whether a tag below the depth hides the current text. */
  isHidden(): boolean;
}

function createNest(max_depth: number): Nest {
  const stack: string[] = [];
  const open = new Map<string, number>();
  let hidden_from: number | undefined;
  const pop = (): string | undefined => {
    const name = stack.pop();
    if (name !== undefined) open.set(name, (open.get(name) ?? 0) - 1);
    if (hidden_from !== undefined && stack.length <= hidden_from) hidden_from = undefined;
    return name;
  };
  return {
    enter({ name, hidden }) {
      if (SELF_ENDING_TAGS.has(name) && stack.at(-1) === name) pop();
      if (hidden && stack.length >= max_depth) hidden_from ??= stack.length;
      open.set(name, (open.get(name) ?? 0) + 1);
      return stack.push(name) <= max_depth;
    },
    /** An end tag closes everything inside; an unmatched one is left to the parser. */
    leave(name) {
      if ((open.get(name) ?? 0) === 0) return stack.length <= max_depth;
      while (pop() !== name);
      return stack.length < max_depth;
    },
    isHidden: () => hidden_from !== undefined,
  };
}
