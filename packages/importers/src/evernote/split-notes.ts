/** The notes of an ENEX file (evernote-export4.dtd), one at a time. */
import { streamXml } from "../xml/xml-events.ts";

/** A note as stored in the file. */
export interface EnexNote {
  readonly title: string;
  /** ENML: a page of HTML with Evernote's own elements. */
  readonly content: string;
  readonly tags: readonly string[];
  readonly author: string;
  readonly source_url: string;
  readonly created: string;
  readonly updated: string;
  readonly resources: readonly EnexResource[];
  /** Whether it was too large to hold; then its content is empty. */
  readonly is_too_large: boolean;
}

/** A file of a note. */
export interface EnexResource {
  readonly file_name: string;
  readonly mime_type: string;
  readonly data: string;
}

/** The maximum size of a note with its files in the XML, in characters. */
export const NOTE_MAX_CHARS = 128 * 1024 ** 2;

const FIELDS = new Set(["title", "content", "tag", "author", "source-url", "created", "updated"]);
const RESOURCE_FIELDS = new Set(["data", "mime", "file-name"]);

/** Splits an export into its notes. */
export async function* splitNotes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<EnexNote> {
  const ready: EnexNote[] = [];
  let [chars, field] = [0, ""];
  let pieces: string[] = [];
  let values = new Map<string, string[]>();
  let resource: Map<string, string> | undefined;
  let resources: EnexResource[] = [];
  const first = (name: string): string => values.get(name)?.[0] ?? "";
  const endNote = (): void => {
    const is_too_large = chars > NOTE_MAX_CHARS;
    ready.push({
      title: first("title").trim(),
      content: is_too_large ? "" : first("content"),
      tags: (values.get("tag") ?? []).map((tag) => tag.trim()),
      author: first("author").trim(),
      source_url: first("source-url").trim(),
      created: first("created"),
      updated: first("updated"),
      resources: is_too_large ? [] : resources,
      is_too_large,
    });
  };
  const events = {
    open(name: string): void {
      if (name === "note") [chars, values, resources] = [0, new Map(), []];
      if (name === "resource") resource = new Map();
      const isField = resource ? RESOURCE_FIELDS.has(name) : FIELDS.has(name);
      if (isField) [field, pieces] = [name, []];
    },
    text(piece: string): void {
      if (field === "") return;
      chars += piece.length;
      if (chars > NOTE_MAX_CHARS) [pieces, resources] = [[], []];
      else pieces.push(piece);
    },
    close(name: string): void {
      if (name === field) {
        const text = pieces.join("");
        if (resource) resource.set(name, text);
        else values.set(name, [...(values.get(name) ?? []), text]);
        [field, pieces] = ["", []];
      }
      if (name === "resource" && resource) {
        const part = (key: string): string => resource?.get(key) ?? "";
        resources.push({ file_name: part("file-name"), mime_type: part("mime").trim(), data: part("data") });
        resource = undefined;
      }
      if (name === "note") endNote();
    },
  };
  for await (const _ of streamXml(bytes, events)) yield* ready.splice(0);
}
