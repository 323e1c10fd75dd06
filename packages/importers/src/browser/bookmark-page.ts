/** The page of bookmarks that every browser exports: `NETSCAPE-Bookmark-file-1`. */
import { Parser } from "htmlparser2";
import { type FoundBookmark, toTime } from "./found.ts";

const DEPTH_MAX = 200;
const TEXT_MAX_CHARS = 64 * 1024;

/** What a page of bookmarks begins with. */
export const BOOKMARK_PAGE = /^\s*<!DOCTYPE NETSCAPE-Bookmark-file-1>/i;

/** The bookmarks of a page in order. */
export async function* readBookmarkPage(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FoundBookmark> {
  const ready: FoundBookmark[] = [];
  const folders: string[] = [];
  let [text, field, heading] = ["", "", ""];
  let link: Readonly<Record<string, string>> = {};
  let last: FoundBookmark | undefined;
  const flush = (): void => {
    if (last) ready.push(last);
    last = undefined;
  };
  const endField = (): void => {
    const shown = text.trim().replace(/\s+/g, " ");
    if (field === "h3") heading = shown;
    if (field === "a") last = toBookmark(shown, link, folders);
    if (field === "dd" && last && shown !== "") last = { ...last, description: shown };
    [field, text] = ["", ""];
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      endField();
      if (name === "a" || name === "h3" || name === "dl") flush();
      if (name === "a") link = attributes;
      if (name === "a" || name === "h3" || name === "dd") field = name;
      if (name === "dl" && folders.length < DEPTH_MAX) {
        folders.push(heading);
        heading = "";
      }
    },
    ontext(piece) {
      if (field !== "" && text.length < TEXT_MAX_CHARS) text += piece;
    },
    onclosetag(name) {
      if (name === field) endField();
      if (name !== "dl") return;
      endField();
      flush();
      folders.pop();
    },
  });
  const decoder = new TextDecoder();
  for await (const piece of bytes) {
    parser.write(decoder.decode(piece, { stream: true }));
    yield* ready.splice(0);
  }
  parser.end();
  flush();
  yield* ready;
}

function toBookmark(
  title: string,
  { href = "", add_date = "", tags = "" }: Readonly<Record<string, string>>,
  folders: readonly string[],
): FoundBookmark {
  return {
    kind: "bookmark",
    title,
    url: href,
    folders: folders.filter((name) => name !== ""),
    tags: splitTags(tags),
    added_at: toTime(Number(add_date) * 1000),
  };
}

/** Tags as Firefox writes them. */
export function splitTags(tags: string): string[] {
  return tags
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}
