import type { ImportedItem } from "@rungs/contract";
import type { FileKind } from "../export/file-kinds.ts";
import type { JsonElement } from "../json/read-elements.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { digestRow, isSecond } from "./messages.ts";
import { defineTable, type LinkedInContext, readCells, readLinkedInTime } from "./tables.ts";

type Cell = ReturnType<typeof readCells>;

/** A table about the owner, and which columns its records have. */
interface ProfileTable {
  readonly kind: string;
  readonly columns: readonly string[];
  /** The name of the file, required if other tables may have such columns too. */
  readonly name?: RegExp;
  describe(cell: Cell): Readonly<Record<string, string | undefined>>;
}

const join = (...parts: readonly (string | undefined)[]) =>
  parts.filter((part) => part !== undefined).join(" ") || undefined;
const lines = (...parts: readonly (string | undefined)[]) =>
  parts.filter((part) => part !== undefined).join("\n") || undefined;

const tables: readonly ProfileTable[] = [
  {
    kind: "profile",
    columns: ["First Name", "Last Name", "Headline", "Summary", "Industry"],
    describe: (cell) => ({
      title: join(cell("First Name"), cell("Last Name")),
      text: lines(cell("Headline"), cell("Summary"), cell("Industry"), cell("Websites")),
      place: cell("Geo Location") ?? cell("Address"),
    }),
  },
  {
    kind: "position",
    columns: ["Company Name", "Title", "Description", "Location", "Started On", "Finished On"],
    describe: (cell) => ({
      title: cell("Title"),
      organization: cell("Company Name"),
      text: cell("Description"),
      place: cell("Location"),
      started_at: readLinkedInTime(cell("Started On")),
      finished_at: readLinkedInTime(cell("Finished On")),
    }),
  },
  {
    kind: "education",
    columns: ["School Name", "Start Date", "End Date", "Notes", "Degree Name"],
    describe: (cell) => ({
      title: cell("Degree Name") ?? cell("School Name"),
      organization: cell("School Name"),
      text: lines(cell("Notes"), cell("Activities")),
      started_at: readLinkedInTime(cell("Start Date")),
      finished_at: readLinkedInTime(cell("End Date")),
    }),
  },
  {
    kind: "skill",
    columns: ["Name"],
    name: /(?:^|\/)Skills\.csv$/i,
    describe: (cell) => ({ title: cell("Name") }),
  },
  {
    kind: "certification",
    columns: ["Name", "Url", "Authority", "Started On", "Finished On", "License Number"],
    describe: (cell) => ({
      title: cell("Name"),
      organization: cell("Authority"),
      url: cell("Url"),
      started_at: readLinkedInTime(cell("Started On")),
      finished_at: readLinkedInTime(cell("Finished On")),
    }),
  },
  {
    kind: "recommendation",
    columns: ["First Name", "Last Name", "Company", "Job Title", "Text", "Creation Date", "Status"],
    describe: (cell) => ({
      title: cell("Job Title"),
      person: join(cell("First Name"), cell("Last Name")),
      organization: cell("Company"),
      text: cell("Text"),
      started_at: readLinkedInTime(cell("Creation Date")),
    }),
  },
];

/** A list that other programs also write: alone, it does not identify an export of LinkedIn. */
export const WEAK_TABLE = /(?:^|\/)Skills\.csv$/i;

/** The tables about the owner. */
export const profileTables: readonly FileKind<LinkedInContext>[] = tables.map((table) =>
  defineTable(
    { noun: table.kind, columns: table.columns, ...(table.name && { name: table.name }) },
    (element, context) => readEntry(table, element, context),
  ),
);

function* readEntry(
  { kind, describe }: ProfileTable,
  element: JsonElement,
  context: LinkedInContext,
): Generator<ImportedItem> {
  const data = describe(readCells(element));
  const id = joinKey(kind, digestRow(...Object.values(data)));
  if (Object.values(data).every((value) => value === undefined)) {
    yield { kind: "rejected", place: element.place, reason: "The row is empty." };
    return;
  }
  if (!isSecond(context, id)) yield toRecordItem("profile", element.place, { id, kind, ...data });
}

export const shareTable = defineTable(
  { noun: "post", columns: ["Date", "ShareLink", "ShareCommentary"] },
  (element, context) =>
    readPost(element, context, (cell) => ({
      kind: "post",
      text: cell("ShareCommentary"),
      url: cell("ShareLink"),
      link: cell("SharedUrl") ?? cell("SharedURL") ?? cell("MediaUrl") ?? cell("MediaURL"),
      visibility: cell("Visibility"),
    })),
);

export const commentTable = defineTable(
  { noun: "comment", columns: ["Date", "Link", "Message"], name: /(?:^|\/)Comments[^/]*\.csv$/i },
  (element, context) =>
    readPost(element, context, (cell) => ({ kind: "comment", text: cell("Message"), url: cell("Link") })),
);

function* readPost(
  element: JsonElement,
  context: LinkedInContext,
  describe: (cell: Cell) => Readonly<Record<string, string | undefined>>,
): Generator<ImportedItem> {
  const cell = readCells(element);
  const { kind = "post", text, ...data } = describe(cell);
  if (text === undefined && data.link === undefined && data.url === undefined) {
    yield {
      kind: "rejected",
      place: element.place,
      reason: `Not a ${kind}: it has neither text nor a link.`,
    };
    return;
  }
  const id = joinKey(kind, digestRow(cell("Date"), text, ...Object.values(data)));
  if (isSecond(context, id)) return;
  const posted_at = readLinkedInTime(cell("Date"));
  yield toRecordItem("posts", element.place, {
    id,
    kind,
    text: unquote(text),
    author: context.owner,
    posted_at,
    ...data,
  });
}

/** Lines of a post come with the quotes of a CSV inside a CSV: `one"\n"two`. */
function unquote(text: string | undefined): string | undefined {
  return text?.replace(/"?\r?\n"?/g, "\n");
}
