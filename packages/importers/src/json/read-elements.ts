import { ApiError, type RejectedItem } from "@rungs/contract";
import type { FileEntry } from "../files/files.ts";
import { formatResume, parseResume } from "../files/resume.ts";
import { type JsonItem, splitJson } from "./split-json.ts";

/** One element of the list in a JSON file, or the whole file when it is not a list. */
export interface JsonElement {
  readonly kind: "element";
  readonly file: FileEntry;
  /** For people: `conversations.json, conversation 3 at byte 20431`. */
  readonly place: string;
  /** Resumes after this element. */
  readonly checkpoint: string;
  readonly value: unknown;
}

/** How to read elements. */
export interface ElementOptions {
  /** The name of an element in `place`. */
  readonly noun: string;
  /** The checkpoint of an element that was read before; skips it and all before it. */
  readonly resume?: string | undefined;
  /** How many elements of the first file to skip, instead of `resume`. */
  readonly done?: number | undefined;
  /** The member that holds the list, for files that are an object. */
  readonly list?: string | undefined;
  readonly max_bytes?: number | undefined;
}

/** Reads the elements of JSON files, one after another. An unreadable element is rejected, and reading continues. */
export async function* readElements(
  files: readonly FileEntry[],
  options: ElementOptions,
): AsyncGenerator<JsonElement | RejectedItem> {
  const done =
    options.done === undefined ? findDone(files, options.resume) : { index: 0, elements: options.done };
  for (const [index, file] of files.entries()) {
    if (index < done.index) continue;
    yield* readFile(file, options, index === done.index ? done.elements : 0);
  }
}

/** The file that a checkpoint is in, and how many of its elements were read. */
function findDone(files: readonly FileEntry[], resume: string | undefined) {
  const { path, counts = [] } = parseResume(resume) ?? {};
  const index = files.findIndex((file) => file.path === path);
  return { index: Math.max(0, index), elements: index < 0 ? 0 : (counts[0] ?? 0) };
}

async function* readFile(
  file: FileEntry,
  { noun, list, max_bytes }: ElementOptions,
  done: number,
): AsyncGenerator<JsonElement | RejectedItem> {
  const depth = list === undefined ? 0 : 1;
  const items = splitJson(file.open(), {
    max_bytes,
    choose(path, kind) {
      const at = path[depth];
      if (depth > path.length) return kind === "object" ? "enter" : "skip";
      if (list !== undefined && path[0] !== list) return "skip";
      if (at === undefined) return kind === "array" ? "enter" : done > 0 ? "skip" : "take";
      return Number(at) < done ? "skip" : "take";
    },
  });
  try {
    for await (const item of items) yield nameElement(file, noun, item, depth);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "file_unreadable") throw error;
    yield { kind: "rejected", place: file.path, reason: error.message };
  }
}

function nameElement(
  file: FileEntry,
  noun: string,
  item: JsonItem,
  depth: number,
): JsonElement | RejectedItem {
  const number = Number(item.path[depth] ?? 0) + 1;
  const place = `${file.path}, ${noun} ${number} at byte ${item.at_byte}`;
  const checkpoint = formatResume(file.path, number);
  if (item.kind === "problem") return { kind: "rejected", place, checkpoint, reason: item.reason };
  return { kind: "element", file, place, checkpoint, value: item.value };
}
