/** What `rungs connect` saved: one file for each server, readable for its owner alone. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Login } from "@rungs/client";
import { ensureHome } from "../home/home.ts";

/** Keeps a login in place of the one of before. */
export function saveLogin(home: string, login: Login): void {
  ensureHome(home);
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
  const file = fileOf(home, login.url);
  const written = `${file}.${process.pid}.new`;
  writeFileSync(written, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  renameSync(written, file);
}

/** The login of a server; undefined when there is none. */
export function findLogin(home: string, url: string): Login | undefined {
  return readLogin(fileOf(home, url));
}

/** Every login that is saved. */
export function listLogins(home: string): Login[] {
  if (!existsSync(folderOf(home))) return [];
  const files = readdirSync(folderOf(home)).filter((name) => name.endsWith(".json"));
  return files.flatMap((name) => readLogin(join(folderOf(home), name)) ?? []);
}

/** Where a server's login is kept. */
export function fileOf(home: string, url: string): string {
  return join(folderOf(home), `${createHash("sha256").update(url).digest("hex").slice(0, 32)}.json`);
}

function folderOf(home: string): string {
  return join(home, "logins");
}

function readLogin(file: string): Login | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Login;
  } catch {
    return undefined;
  }
}
