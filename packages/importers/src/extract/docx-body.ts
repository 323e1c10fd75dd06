/** The text of a Word document as mammoth reads it: paragraphs, tables, notes and comments. */

/** An element of mammoth's document. */
interface DocxElement {
  readonly type: string;
  readonly children?: readonly DocxElement[];
  readonly value?: string;
  readonly checked?: boolean;
  readonly noteType?: string;
  readonly noteId?: string;
  readonly commentId?: string;
}

/** A whole document of mammoth. */
export interface DocxDocument extends DocxElement {
  readonly notes: { resolve(reference: DocxElement): { readonly body: readonly DocxElement[] } | null };
  readonly comments: readonly {
    readonly commentId: string;
    readonly authorName: string | null;
    readonly body: readonly DocxElement[];
  }[];
}

/** The notes that the text refers to, by key, in the order of their numbers. */
type NoteReferences = Map<string, { readonly number: number; readonly reference: DocxElement }>;

/** Renders a document: its body, then notes as `[1] …` and comments as `[comment 1] Author: …`. */
export function renderDocx({ children = [], notes, comments }: DocxDocument): string {
  const references: NoteReferences = new Map();
  const labels = new Map(comments.map(({ commentId }, at) => [commentId, `[comment ${at + 1}]`]));
  const render = (elements: readonly DocxElement[]): string =>
    elements.map((element) => renderElement(element, { references, labels, render })).join("");
  const blocks = [render(children)];
  // A note may refer to another: the map grows while it is read.
  for (const { number, reference } of references.values()) {
    blocks.push(`[${number}] ${render(notes.resolve(reference)?.body ?? []).trim()}`);
  }
  for (const { commentId, authorName, body } of comments) {
    const author = authorName === null ? "" : `${authorName}: `;
    blocks.push(`${labels.get(commentId)} ${author}${render(body).trim()}`);
  }
  return blocks.map((block) => block.trim()).join("\n\n");
}

interface Context {
  readonly references: NoteReferences;
  readonly labels: ReadonlyMap<string, string>;
  readonly render: (elements: readonly DocxElement[]) => string;
}

function renderElement(element: DocxElement, context: Context): string {
  const inner = () => context.render(element.children ?? []);
  return (renderers[element.type] ?? inner)(element, context, inner);
}

type Render = (element: DocxElement, context: Context, inner: () => string) => string;

const renderers: Readonly<Record<string, Render>> = {
  text: ({ value = "" }) => value,
  tab: () => "\t",
  break: () => "\n",
  checkbox: ({ checked }) => (checked ? "[x]" : "[ ]"),
  paragraph: (_element, _context, inner) => `${inner()}\n\n`,
  table: (_element, _context, inner) => `${inner()}\n`,
  tableRow: ({ children = [] }, { render }) =>
    `${children
      .map((cell) =>
        render([cell])
          .trim()
          .replace(/\s*\n\s*/g, " "),
      )
      .join(" | ")}\n`,
  noteReference: (reference, { references }) => {
    const key = `${reference.noteType} ${reference.noteId}`;
    const known = references.get(key) ?? { number: references.size + 1, reference };
    references.set(key, known);
    return `[${known.number}]`;
  },
  commentReference: ({ commentId = "" }, { labels }) => labels.get(commentId) ?? "",
};
