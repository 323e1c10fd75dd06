import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Login, LoginRefused, refreshLogin } from "@rungs/client";
import { ApiError } from "@rungs/contract";
import { fileOf, findLogin, saveLogin } from "./logins.ts";

/** A token that ends this soon is changed before it is used. */
const SOON_MS = 60_000;
const WAIT_MS = 50;
/** A program that holds the lock for longer has died. */
const STALE_MS = 30_000;

/** Gives the token of a saved login, changed for a fresh one when it ends. */
export function createFreshToken(home: string, url: string): () => Promise<string> {
  return async () => {
    const login = findLogin(home, url);
    if (login && !endsSoon(login)) return login.access_token;
    return withLock(`${fileOf(home, url)}.lock`, () => refresh(home, url));
  };
}

/** Another program may have done it while this one waited. A refresh token works once, so two must never use the same. */
async function refresh(home: string, url: string): Promise<string> {
  const login = findLogin(home, url);
  if (!login)
    throw new ApiError("missing_token", { message: `There is no login for ${url}.`, next: adviceFor(url) });
  if (!endsSoon(login)) return login.access_token;
  if (login.refresh_token === undefined) throw ended(url);
  try {
    const fresh = await refreshLogin(login);
    saveLogin(home, fresh);
    return fresh.access_token;
  } catch (error) {
    throw error instanceof LoginRefused ? ended(url) : error;
  }
}

function endsSoon({ expires_at_ms }: Login): boolean {
  return expires_at_ms !== undefined && expires_at_ms - SOON_MS <= Date.now();
}

function ended(url: string): ApiError {
  return new ApiError("invalid_token", { message: `The login for ${url} has ended.`, next: adviceFor(url) });
}

function adviceFor(url: string): string {
  return `Run rungs connect ${url}.`;
}

async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  while (!take(file)) await sleep(WAIT_MS);
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file: string): boolean {
  try {
    closeSync(openSync(file, "wx", 0o600));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return true;
    if (code !== "EEXIST") throw error;
    const age_ms = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age_ms > STALE_MS) rmSync(file, { force: true });
    return false;
  }
}
