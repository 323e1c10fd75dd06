import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Login, LoginRefused, refreshLogin } from "@rungs/client";
import { ApiError } from "@rungs/contract";
import { findLogin, locateLogin, saveLogin } from "./logins.ts";

/** Refresh a token this long before it expires. */
const SOON_MS = 60_000;
const WAIT_MS = 50;
/** A lock older than this belongs to a dead process. */
const STALE_MS = 30_000;

/** Returns the access token of a saved login; refreshes it when it is about to expire. */
export function createFreshToken(home: string, url: string): () => Promise<string> {
  return async () => {
    const login = findLogin(home, url);
    if (login && !expiresSoon(login)) return login.access_token;
    return withLock(`${locateLogin(home, url)}.lock`, () => refresh(home, url));
  };
}

/** Another process may have refreshed while this one waited. A refresh token works once, so two processes must never use the same. */
async function refresh(home: string, url: string): Promise<string> {
  const login = findLogin(home, url);
  if (!login)
    throw new ApiError("missing_token", { message: `There is no login for ${url}.`, next: adviceFor(url) });
  if (!expiresSoon(login)) return login.access_token;
  if (login.refresh_token === undefined) throw loginEnded(url);
  try {
    const fresh = await refreshLogin(login);
    saveLogin(home, fresh);
    return fresh.access_token;
  } catch (error) {
    throw error instanceof LoginRefused ? loginEnded(url) : error;
  }
}

function expiresSoon({ expires_at_ms }: Login): boolean {
  return expires_at_ms !== undefined && expires_at_ms - SOON_MS <= Date.now();
}

function loginEnded(url: string): ApiError {
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
