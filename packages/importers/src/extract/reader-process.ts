/**
 * A process that reads documents and can be killed at any moment without harm to this one. Not a thread: when a thread
 * runs out of heap in the wrong place, V8 aborts the whole process.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { createEnvironment, listConfinement } from "./confinement.ts";
import type { Extraction, ExtractionRequest } from "./extraction.ts";
import type { ExtractionLimits } from "./limits.ts";
import type { OcrSetup } from "./ocr/ocr-setup.ts";
import type { ReaderRequest } from "./reader.ts";
import { Unreadable } from "./unreadable.ts";

/**
 * The program of a process, beside the file that starts it: `.js` when built, `.ts` in the sources. The source starts
 * four times slower, so a full test run uses the program in the package that it built.
 */
export function findProgram(name: string, starter: string): URL {
  const { RUNGS_TEST_PACKAGE: built } = process.env;
  if (!starter.endsWith(".ts")) return new URL(`./${name}.js`, starter);
  return built === undefined
    ? new URL(`./${name}.ts`, starter)
    : pathToFileURL(join(built, `dist/bundle/${name}.js`));
}

/**
 * Starts a process that may read `files`, and waits until it has loaded, so that no document is charged for the loading
 * time.
 */
export async function startReader(
  script: URL,
  { memory_bytes }: ExtractionLimits,
  files: readonly string[] = [],
): Promise<ChildProcess> {
  const conditions = import.meta.url.endsWith(".ts") ? ["--conditions=rungs-source"] : [];
  const reader = fork(script, [String(memory_bytes)], {
    execArgv: [
      ...conditions,
      ...listConfinement(script, files),
      `--max-old-space-size=${Math.ceil(memory_bytes / 1024 ** 2)}`,
    ],
    // The owner's environment has tokens and database passwords.
    env: createEnvironment(),
    serialization: "advanced",
    // Libraries print warnings that quote the document.
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // A broken pipe also causes an exit event; without a listener, the error would crash this process.
  reader.on("error", () => undefined);
  const done = new AbortController();
  await Promise.race([once(reader, "message", done), awaitExit(reader, memory_bytes, done.signal)]);
  done.abort();
  setIdle(reader);
  return reader;
}

/** Whether a process accepts requests. */
export function isRunning(reader: ChildProcess): boolean {
  return reader.connected && reader.exitCode === null && reader.signalCode === null;
}

/** Asks for one document. A process that does not answer within the limits is killed. */
export async function requestExtraction(
  reader: ChildProcess,
  { bytes, ...about }: ExtractionRequest,
  limits: ExtractionLimits,
  ocr?: OcrSetup,
): Promise<Extraction> {
  // pdf.js does not accept a Buffer.
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  const request = { request: { ...about, bytes: plain }, limits, ocr } satisfies ReaderRequest;
  // OCR has its own limits; the process as a whole may take the sum.
  const time_ms = limits.time_ms + (ocr ? limits.ocr_ms + limits.ocr_page_ms : 0);
  try {
    return await requestReader<Extraction>(reader, request, { ...limits, time_ms });
  } catch (error) {
    const reason = error instanceof Unreadable ? error.message : CRASHED;
    return { kind: "failed", reason };
  }
}

/** Sends a request and waits for the answer. Throws `Unreadable`, and kills the process, if it does not come within the limits. */
export async function requestReader<T>(
  reader: ChildProcess,
  request: object,
  limits: ExtractionLimits,
): Promise<T> {
  const done = new AbortController();
  reader.ref();
  reader.channel?.ref();
  try {
    reader.send(request, () => undefined);
    return await Promise.race([
      once(reader, "message", done).then(([answer]) => answer as T),
      awaitExit(reader, limits.memory_bytes, done.signal),
      awaitTimeout(limits.time_ms, done.signal),
    ]);
  } catch (error) {
    await endReader(reader);
    throw error;
  } finally {
    done.abort();
    setIdle(reader);
  }
}

/** Kills a process and waits for its exit. */
export async function endReader(reader: ChildProcess): Promise<void> {
  if (reader.exitCode !== null || reader.signalCode !== null) return;
  const gone = once(reader, "exit");
  reader.ref();
  reader.kill("SIGKILL");
  await gone;
}

/** An idle process must not keep this one alive. */
function setIdle(reader: ChildProcess): void {
  reader.unref();
  reader.channel?.unref();
}

const CRASHED = "The process that reads it crashed.";

/** Killed by its watchdog or by the system, or aborted with a full heap (code 134 where there are no signals). */
const OUT_OF_MEMORY: readonly unknown[] = ["SIGKILL", "SIGABRT", 134];

async function awaitExit(reader: ChildProcess, max_bytes: number, signal: AbortSignal): Promise<never> {
  const [code, name] = await once(reader, "exit", { signal });
  if (!OUT_OF_MEMORY.includes(name ?? code)) throw new Unreadable(CRASHED);
  throw new Unreadable(`Reading it took more than ${max_bytes} bytes of memory.`);
}

async function awaitTimeout(time_ms: number, signal: AbortSignal): Promise<never> {
  await delay(time_ms, undefined, { signal });
  throw new Unreadable(`Reading it took longer than ${time_ms} ms.`);
}
