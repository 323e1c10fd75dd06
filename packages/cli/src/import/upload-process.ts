/**
 * Imports uploads in a separate process, under the watchdog of `rungs import`: an item that never finishes is skipped,
 * and neither blocks the server nor outlives a request to stop.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ImportFile } from "@rungs/console";
import { ApiError, describeRefusal, isErrorCode } from "@rungs/contract";
import type { ImportRunEnd, ImportRunProgress } from "@rungs/server";
import type { CommandCall } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { asOwner, type DatabasePlace } from "../home/database.ts";
import { handOverKey } from "../keys/open-key.ts";
import { createUploadImport } from "./upload.ts";

/** Marks the process that imports an upload: it reports to the server and records nothing itself. */
const MARK = "RUNGS_IMPORT_UPLOAD";
const LAUNCHER = fileURLToPath(new URL("../../bin/rungs.js", import.meta.url));
const REPORT_MS = 500;

/** What the process reports, one JSON object per line. */
type Message =
  | { readonly event: "progress"; readonly progress: ImportRunProgress }
  | { readonly event: "end"; readonly end: ImportRunEnd }
  | { readonly event: "failure"; readonly code: string; readonly message: string; readonly next: string };

/** Creates an importer of an owner's uploads into a database. */
export function createUploadProcess(
  place: DatabasePlace,
  owner_id: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): ImportFile {
  // Not an argument: other users of the machine see arguments, and the address may hold a password.
  const RUNGS_DATABASE = place.kind === "sqlite" ? place.file : place.url;
  return async (request, report) => {
    const { label, format, is_look } = request;
    const options = [
      ...(label === undefined ? [] : ["--label", label]),
      ...(format === undefined ? [] : ["--as", format]),
      ...(is_look ? ["--dry-run"] : []),
    ];
    const child = spawn(process.execPath, [LAUNCHER, "import", ...options, "--", request.path], {
      env: {
        ...env,
        ...handOverKey(place),
        RUNGS_DATABASE,
        RUNGS_OWNER: owner_id,
        [MARK]: "1",
      },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = new Promise<void>((resolve, reject) =>
      child.once("close", () => resolve()).once("error", reject),
    );
    const end = (): void => void child.kill("SIGTERM");
    request.stop.addEventListener("abort", end);
    if (request.stop.aborted) end();
    process.once("exit", end);
    try {
      const last = await readMessages(child.stdout, report);
      await ended;
      return requireEnd(last, request);
    } finally {
      request.stop.removeEventListener("abort", end);
      process.removeListener("exit", end);
    }
  };
}

async function readMessages(
  lines: NodeJS.ReadableStream,
  report: (progress: ImportRunProgress) => void,
): Promise<Message | undefined> {
  let last: Message | undefined;
  for await (const line of createInterface({ input: lines })) {
    const message = JSON.parse(line) as Message;
    if (message.event === "progress") report(message.progress);
    else last = message;
  }
  return last;
}

function requireEnd(last: Message | undefined, { stop }: Parameters<ImportFile>[0]): ImportRunEnd {
  if (last?.event === "end") return last.end;
  if (last?.event === "failure" && isErrorCode(last.code))
    throw new ApiError(last.code, { message: last.message, next: last.next });
  // Killed in the middle of an item: what was stored stays.
  if (stop.aborted) return { state: "stopped", imports: [] };
  throw new Error("The process of the import ended early.");
}

/** Whether this process imports an upload for a server. */
export function isUploadProcess({ io }: CommandCall): boolean {
  return io.env[MARK] === "1";
}

/** Imports the upload of this process. */
export async function importForServer(call: CommandCall, stop: AbortSignal): Promise<number> {
  const say = (message: Message): void => call.io.out(JSON.stringify(message));
  const [path = ""] = call.operands;
  let reported_ms = 0;
  const report = (progress: ImportRunProgress): void => {
    if (Date.now() - reported_ms < REPORT_MS) return;
    reported_ms = Date.now();
    say({ event: "progress", progress });
  };
  try {
    const [label, format] = [call.option("label"), call.option("as")];
    const request = { path, label, format, is_look: call.flag("dry-run"), stop };
    say({ event: "end", end: await asOwner(call, (owner) => createUploadImport(owner)(request, report)) });
    return Exit.done;
  } catch (error) {
    const { code, message, next } = describeRefusal(error).body.error;
    say({ event: "failure", code, message, next });
    return Exit.failed;
  }
}
