import { ApiError, type RejectedItem, splitLines } from "@rungs/contract";
import type { FileEntry } from "../files/files.ts";
import { formatResume } from "../files/resume.ts";
import { parseExactJson } from "./parse-json.ts";
import type { JsonElement } from "./read-elements.ts";
import { JSON_VALUE_MAX_BYTES } from "./split-json.ts";

/** Reads a file with a JSON value on each line, and skips its first `done` lines. Empty lines count, but are not read. */
export async function* readLines(
  file: FileEntry,
  noun: string,
  done = 0,
): AsyncGenerator<JsonElement | RejectedItem> {
  try {
    for await (const { number, bytes } of splitLines(file.open(), { max_bytes: JSON_VALUE_MAX_BYTES })) {
      if (number <= done) continue;
      const place = `${file.path}, ${noun} in line ${number}`;
      const checkpoint = formatResume(file.path, number);
      const text = bytes === undefined ? undefined : decoder.decode(bytes).trim();
      if (text === "") continue;
      const value = text === undefined ? undefined : parseExactJson(text);
      const reason =
        text === undefined
          ? `The line is longer than ${JSON_VALUE_MAX_BYTES} bytes.`
          : "The line is not JSON.";
      if (value === undefined) yield { kind: "rejected", place, checkpoint, reason };
      else yield { kind: "element", file, place, checkpoint, value };
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "file_unreadable") throw error;
    yield { kind: "rejected", place: file.path, reason: error.message };
  }
}

const decoder = new TextDecoder();
