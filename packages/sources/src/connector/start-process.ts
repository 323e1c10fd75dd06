/** A connector as a child process that inherits nothing and stays within limits. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createWriteStream, mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { ApiError } from "@rungs/contract";
import type { ConnectorLimits } from "./limits.ts";
import { refuse } from "./messages.ts";
import { endFamily, findFamily, MARK } from "./process-family.ts";

/** What to start, and where. */
export interface ProcessPlan {
  readonly command: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** The folder that it works in. */
  readonly folder: string;
  readonly limits: ConnectorLimits;
  readonly signal: AbortSignal;
}

/** A running connector. */
export interface ConnectorProcess {
  readonly output: AsyncIterable<Uint8Array>;
  send(message: object): void;
  /** Restarts the timeout for silence; `pause` stops it until then. */
  touch(pause?: "pause"): void;
  /** Closes its input: it then has little time to exit. */
  close(): void;
  /** Waits until it exits; returns its status, or undefined if it was killed. */
  wait(): Promise<number | undefined>;
  /** Why it was killed, if it was. */
  failure(): ApiError | undefined;
  /** Kills it and all its descendants. */
  end(): Promise<void>;
}

const LOOK_MS = 500;
const LOG_FILE = "stderr.log";
const SYSTEM_PATHS = ["/usr/local/bin", "/usr/bin", "/bin"];

/** Starts a connector in its folder. Its environment is what the plan says, and a path to programs. */
export function startConnector({
  command,
  variables,
  folder,
  limits,
  signal,
}: ProcessPlan): ConnectorProcess {
  const temporary = join(folder, "tmp");
  mkdirSync(temporary, { recursive: true, mode: 0o700 });
  const mark = randomBytes(16).toString("hex");
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: [dirname(process.execPath), ...SYSTEM_PATHS].join(delimiter),
      HOME: folder,
      TMPDIR: temporary,
      LANG: "C.UTF-8",
      ...variables,
      [MARK]: mark,
    },
    stdio: ["pipe", "pipe", "pipe"],
    // A separate process group, so that its children end with it.
    detached: true,
    windowsHide: true,
  });
  let failure: ApiError | undefined;
  let late: NodeJS.Timeout | undefined;
  const exit = Promise.withResolvers<number | undefined>();
  const endAll = () => {
    if (child.pid !== undefined) endFamily(child.pid, mark);
  };
  const fail = (error: ApiError) => {
    failure ??= error;
    endAll();
  };
  child.once("error", ({ message }) => {
    failure ??= refuse(`The connector cannot be started: ${message}.`);
    exit.resolve(undefined);
  });
  child.once("exit", (code) => exit.resolve(code ?? undefined));
  // It may exit before it has read everything.
  child.stdin.on("error", () => undefined);
  keepLog(child, join(folder, LOG_FILE), limits.log_bytes);
  const watch = watchUse(child, mark, { limits, fail });
  signal.addEventListener("abort", endAll, { once: true });
  if (signal.aborted) endAll();
  return {
    output: child.stdout,
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    touch: watch.touch,
    close() {
      child.stdin.end();
      late ??= setTimeout(
        () => fail(refuse("The connector did not exit after it was done.")),
        limits.exit_ms,
      );
    },
    wait: () => exit.promise,
    failure: () => failure,
    async end() {
      watch.stop();
      clearTimeout(late);
      signal.removeEventListener("abort", endAll);
      endAll();
      if (child.pid !== undefined) await exit.promise;
      // Processes that it started after its exit carry the mark.
      endAll();
    },
  };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Kills a connector that is silent, runs for too long, or uses too many resources. */
function watchUse(
  child: Child,
  mark: string,
  { limits, fail }: { readonly limits: ConnectorLimits; readonly fail: (error: ApiError) => void },
) {
  const began = performance.now();
  let heard: number | undefined = began;
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - began > limits.run_ms) fail(refuse("The connector exceeded the time limit of a run."));
    if (heard !== undefined && now - heard > limits.silence_ms)
      fail(refuse("The connector stopped sending."));
    if (child.pid === undefined) return;
    const { pids, memory_bytes } = findFamily(child.pid, mark);
    if (memory_bytes > limits.memory_bytes) fail(refuse("The connector exceeded its memory limit."));
    if (pids.length > limits.processes) fail(refuse("The connector exceeded its process limit."));
  }, LOOK_MS);
  return {
    touch(pause?: "pause") {
      heard = pause ? undefined : performance.now();
    },
    stop: () => clearInterval(timer),
  };
}

/** Keeps the beginning of what it writes to standard error, for its owner alone; the rest is read and dropped. */
function keepLog(child: Child, file: string, max_bytes: number): void {
  const log = createWriteStream(file, { mode: 0o600 });
  log.on("error", () => undefined);
  let left = max_bytes;
  child.stderr.on("data", (chunk: Buffer) => {
    if (left <= 0) return;
    log.write(chunk.subarray(0, left));
    left -= chunk.length;
  });
  child.stderr.once("close", () => log.end());
}
