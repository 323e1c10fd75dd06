/** Mail for tests: fixtures, a head, and the only message of a file. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { openFiles } from "../files/open-files.ts";
import { readAll } from "../read-all.test.ts";
import { mail } from "./mail.ts";

export const fixture = (name: string) =>
  openFiles(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)));

/** Reads the only message of a file. */
export async function readOne(
  content: string | Uint8Array,
  path = "a.eml",
): Promise<Readonly<Record<string, unknown>>> {
  const { stream } = await readAll(mail, { [path]: content });
  const [message] = stream("messages").values();
  assert.ok(message);
  return message;
}

export const HEAD =
  "Message-ID: <a@example.org>\nFrom: ann@example.org\nSubject: S\nDate: 8 May 2024 09:00:00 +0000\n";
