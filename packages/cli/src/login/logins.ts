/** The logins that `rungs connect` saved: one file per server, readable only for its owner. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Login } from "@rungs/client";
import { ensureHome } from "../home/home.ts";

/** Saves a login; replaces an earlier one for the same server. */
export function saveLogin(home: string, login: Login): void {
  ensureHome(home);
  mkdirSync(locateFolder(home), { recursive: true, mode: 0o700 });
  const file = locateLogin(home, login.url);
  const written = `${file}.${process.pid}.new`;
  writeFileSync(written, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  renameSync(written, file);
}

/** Finds the login of a server. */
export function findLogin(home: string, url: string): Login | undefined {
  return readLogin(locateLogin(home, url));
}

/** Lists every saved login. */
export function listLogins(home: string): Login[] {
  if (!existsSync(locateFolder(home))) return [];
  const files = readdirSync(locateFolder(home)).filter((name) => name.endsWith(".json"));
  return files.flatMap((name) => readLogin(join(locateFolder(home), name)) ?? []);
}

/** The file of a server's login. */
export function locateLogin(home: string, url: string): string {
  return join(locateFolder(home), `${createHash("sha256").update(url).digest("hex").slice(0, 32)}.json`);
}

function locateFolder(home: string): string {
  return join(home, "logins");
}

function readLogin(file: string): Login | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Login;
  } catch {
    return undefined;
  }
}
