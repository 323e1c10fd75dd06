import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ApiError } from "@rungs/contract";
import type { Extraction } from "../extract/extraction.ts";
import type { FileEntry } from "../files/files.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { readHead } from "../files/probe.ts";
import { storeAttachment } from "./attachments.ts";

const blob = { blob_id: "b", size_bytes: 5, sha256: "s" };

async function store(entry: FileEntry, extraction: Extraction = { kind: "text", text: "words" }) {
  let asked = 0;
  const source = {
    files: createMemoryFiles("none", {}),
    putBlob: async (_: unknown, mime_type: string) => ({ ...blob, mime_type }),
    extractText: async () => {
      asked += 1;
      return extraction;
    },
    note: () => undefined,
  };
  return { content: await storeAttachment(source, entry, { name: entry.path }), count: () => asked };
}

const open = async (path: string, bytes: string): Promise<FileEntry> =>
  (await createMemoryFiles("one", { [path]: Buffer.from(bytes, "latin1") }).find(path))!;

suite("an attached file is stored, and", () => {
  test("its text is read when it is a document", async () => {
    const { content } = await store(await open("a.txt", "words"));
    const file = { ...blob, mime_type: "text/plain" };
    assert.deepEqual(content, {
      mime_type: "text/plain",
      size_bytes: 5,
      file,
      text: "words",
      page_starts: undefined,
      text_missing: undefined,
    });
  });

  test("a picture is not searched for text", async () => {
    const { content, count } = await store(await open("a.png", "\x89PNG\r\n\x1a\n"));
    assert.deepEqual([Object.keys(content), count()], [["mime_type", "size_bytes", "file"], 0]);
  });

  test("its record says why text is missing or incomplete", async () => {
    const large = { ...(await open("a.txt", "words")), size_bytes: 2 ** 30 };
    const reasons = [
      (await store(large)).content,
      (await store(await open("a.txt", "words"), { kind: "failed", reason: "It is locked." })).content,
      (await store(await open("a.txt", "words"), { kind: "text", text: "w", cut: "pages" })).content,
    ];
    assert.deepEqual(
      reasons.map((content) => Reflect.get(content, "text_missing")),
      [
        "The file has 1073741824 bytes; text is read up to 33554432.",
        "It is locked.",
        "Cut at a limit: pages.",
      ],
    );
  });

  test("an unreadable file is a record without content; any other failure is thrown", async () => {
    const failing = async (error: Error): Promise<FileEntry> => ({
      ...(await open("a.txt", "words")),
      head: () => Promise.reject(error),
    });
    const unreadable = new ApiError("file_unreadable", { message: "a.txt cannot be read." });
    assert.deepEqual((await store(await failing(unreadable))).content, {
      text_missing: "a.txt cannot be read.",
    });
    await assert.rejects(store(await failing(new Error("the disk is full"))), /disk is full/);
    assert.equal(await readHead(await failing(unreadable)), "");
  });
});
