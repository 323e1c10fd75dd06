/** The text of the XML of OpenDocument (ODF 1.3, part 3): paragraphs, rows of tables, notes and comments. */
import { cleanText } from "../clean-text.ts";
import { createXmlParser } from "../xml/xml-events.ts";
import type { Extraction } from "./extraction.ts";
import type { ExtractionLimits } from "./limits.ts";
import { Unreadable } from "./unreadable.ts";
import { decodeXml } from "./xml-text.ts";
import { readZipMembers } from "./zip-members.ts";

const PARTS = new Set(["content.xml", "styles.xml", "meta.xml"]);
const MARGIN = /<style:(header|footer)[ >][\s\S]*?<\/style:\1>/g;
const TITLE = /<dc:title>([^<]*)<\/dc:title>/;
const CREATED = /<meta:creation-date>(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z?<\/meta:creation-date>/;

/** The text of an OpenDocument text: its body, notes, comments, headers and footers. */
export async function extractOdt(bytes: Uint8Array, limits: ExtractionLimits): Promise<Extraction> {
  const parts = await readZipMembers(bytes, (name) => PARTS.has(name), limits.unpacked_bytes);
  const decode = (name: string): string => new TextDecoder().decode(parts.get(name));
  if (!parts.has("content.xml")) throw new Unreadable("It has no content.");
  const { text, is_whole } = readOdt(decode("content.xml"));
  const title = decodeXml(TITLE.exec(decode("meta.xml"))?.[1] ?? "").trim();
  const created = CREATED.exec(decode("meta.xml"))?.[1];
  return {
    kind: "text",
    text: cleanText([text, ...listMargins(decode("styles.xml"))].join("\n\n")).trim(),
    ...(title === "" ? {} : { title }),
    ...(created === undefined ? {} : { created_at: `${created}Z` }),
    ...(is_whole ? {} : { missing: "Its content ends early: the file is damaged." }),
  };
}

/** Headers and footers are in the styles of pages; each text once. */
function listMargins(styles: string): string[] {
  const texts = [...styles.matchAll(MARGIN)].map(([xml, kind]) => [kind, readOdt(xml)] as [string, OdtText]);
  const shown = texts.filter(([, { text }]) => text !== "");
  return [...new Set(shown.map(([kind, { text }]) => `${kind === "header" ? "Header" : "Footer"}: ${text}`))];
}

/** The text of a part, with its notes and comments at the end. */
interface OdtText {
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

/** Reads a part event by event, never as a tree, whatever its size and nesting. */
function readOdt(xml: string): OdtText {
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
