/** A second engine: the machine's own Firefox, driven over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/). */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PROGRAMS = ["/usr/bin/firefox-esr", "/usr/bin/firefox"];
const START_MS = 60_000;
const WAIT_MS = 20_000;
/** The codes of keys that are not characters (WebDriver §17.4.2). */
export const Key = { enter: "\uE006", tab: "\uE004" } as const;

/** One tab of Firefox. */
export interface FirefoxTab {
  resize(width: number, height: number): Promise<void>;
  goto(url: string): Promise<void>;
  /** The value of an expression: a string, a number or a boolean. */
  evaluate(expression: string): Promise<unknown>;
  /** Evaluates an expression until it is true. */
  waitFor(expression: string): Promise<void>;
  /** Types characters and keys into the focused element. */
  type(keys: string): Promise<void>;
  close(): Promise<void>;
}

/** The installed Firefox; undefined where there is none. */
export function findFirefox(): string | undefined {
  return PROGRAMS.find((program) => existsSync(program));
}

/** Starts Firefox with an empty profile. */
export async function openFirefox(program: string): Promise<FirefoxTab> {
  const profile = mkdtempSync(join(tmpdir(), "rungs-firefox-"));
  const args = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"];
  const child = spawn(program, args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, HOME: profile },
  });
  const end = async () => {
    if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const send = await connect(await findAddress(child));
    await send("session.new", { capabilities: {} });
    const tree = (await send("browsingContext.getTree", {})) as { contexts: { context: string }[] };
    const context = tree.contexts[0]?.context;
    return createTab(send, context, end);
  } catch (error) {
    await end();
    throw error;
  }
}

type Send = (method: string, params: object) => Promise<unknown>;

function createTab(send: Send, context: string | undefined, close: () => Promise<void>): FirefoxTab {
  const evaluate = async (expression: string) => {
    const target = { context };
    const answer = await send("script.evaluate", { expression, target, awaitPromise: true });
    const { result, exceptionDetails } = answer as {
      result?: { value?: unknown };
      exceptionDetails?: object;
    };
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return result?.value;
  };
  return {
    evaluate,
    close,
    async resize(width, height) {
      await send("browsingContext.setViewport", { context, viewport: { width, height } });
    },
    async goto(url) {
      await send("browsingContext.navigate", { context, url, wait: "complete" });
    },
    async waitFor(expression) {
      const end_ms = Date.now() + WAIT_MS;
      // A page in the middle of a navigation refuses.
      while ((await evaluate(expression).catch(() => false)) !== true) {
        if (Date.now() > end_ms) throw new Error(`Not true in time: ${expression}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async type(keys) {
      const actions = [...keys].flatMap((value) => [
        { type: "keyDown", value },
        { type: "keyUp", value },
      ]);
      await send("input.performActions", { context, actions: [{ type: "key", id: "keyboard", actions }] });
    },
  };
}

async function findAddress(child: ChildProcess): Promise<string> {
  const signal = AbortSignal.timeout(START_MS);
  for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream, signal })) {
    const found = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
    if (found !== undefined) {
      child.stderr?.resume();
      return found;
    }
  }
  throw new Error("Firefox did not start.");
}

async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(`${address}/session`);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let id = 0;
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as {
      id?: number;
      result?: unknown;
      error?: string;
      message?: string;
    };
    const call = waiting.get(message.id ?? -1);
    waiting.delete(message.id ?? -1);
    if (message.error === undefined) call?.resolve(message.result);
    else call?.reject(new Error(`${message.error}: ${message.message}`));
  });
  await once(socket, "open");
  return (method, params) => {
    const call = Promise.withResolvers<unknown>();
    id += 1;
    waiting.set(id, call);
    socket.send(JSON.stringify({ id, method, params }));
    return call.promise;
  };
}
