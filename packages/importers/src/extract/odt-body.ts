/** The text of the XML of OpenDocument (ODF 1.3, part 3): paragraphs, rows of tables, notes and comments. */
import { createXmlParser } from "../xml/xml-events.ts";

/** The text of a part, with its notes and comments at the end. */
export interface OdtText {
  readonly text: string;
  /** False if the XML ends before its root does. */
  readonly is_whole: boolean;
}

/** Elements whose text goes elsewhere than into the text around them. */
const CAPTURED = new Set([
  "text:note-citation",
  "text:note-body",
  "office:annotation",
  "dc:creator",
  "dc:date",
  "meta:creator-initials",
  "table:table-cell",
  "table:covered-table-cell",
  "text:tracked-changes",
]);

const MAX_SPACES = 100;

/** Reads a part event by event: neither its size nor its nesting is held as a tree. */
export function readOdt(xml: string): OdtText {
  const captured: string[] = [""];
  const rows: string[][] = [];
  const notes: string[] = [];
  const comments: string[] = [];
  let [citation, author, paragraphs] = ["", "", 0];
  const add = (text: string): void => {
    captured.push(captured.pop()! + text);
  };
  const closers: Readonly<Record<string, (text: string) => void>> = {
    "text:p": () => add("\n\n"),
    "text:h": () => add("\n\n"),
    "text:note-citation": (text) => {
      citation = text.trim();
      add(`[${citation}]`);
    },
    "text:note-body": (text) => notes.push(`[${citation}] ${text.trim()}`),
    "dc:creator": (text) => {
      author = text.trim();
    },
    "office:annotation": (text) => {
      comments.push(`[comment ${comments.length + 1}] ${author === "" ? "" : `${author}: `}${text.trim()}`);
      add(`[comment ${comments.length}]`);
      author = "";
    },
    "table:table-cell": (text) => rows.at(-1)?.push(text.trim().replace(/\s*\n\s*/g, " ")),
    "table:table-row": () => add(`${rows.pop()?.join(" | ") ?? ""}\n`),
    "table:table": () => add("\n"),
  };
  const parser = createXmlParser(
    {
      open(name, attributes) {
        if (isParagraph(name)) paragraphs += 1;
        if (CAPTURED.has(name)) captured.push("");
        if (name === "table:table-row") rows.push([]);
        if (name === "text:s") add(" ".repeat(Math.min(Number(attributes["text:c"]) || 1, MAX_SPACES)));
        if (name === "text:tab") add("\t");
        if (name === "text:line-break") add("\n");
      },
      text(text) {
        if (paragraphs > 0) add(text.replace(/\s+/g, " "));
      },
      close(name) {
        if (isParagraph(name)) paragraphs -= 1;
        const text = CAPTURED.has(name) ? captured.pop()! : "";
        closers[name]?.(text);
      },
    },
    // `text:date` is a field that shows a date, `dc:date` is that of a comment.
    { qualified: true },
  );
  parser.write(xml);
  const is_whole = parser.end();
  const body = captured
    .join("")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return { text: [body, ...notes, ...comments].join("\n\n"), is_whole };
}

function isParagraph(name: string): boolean {
  return name === "text:p" || name === "text:h";
}
