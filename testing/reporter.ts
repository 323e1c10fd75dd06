/**
 * Prints one line for each test file, the failures of a file below its line, and Node's own closing lines. A process that
 * runs several files (`group.ts`) names them by the suites that it puts around them.
 */
import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";
import { isGroup } from "./group.ts";

/** What one process has reported so far. */
interface Process {
  /** The titles that lead to the running test, outermost first. */
  readonly titles: string[];
  /** What it printed, which only failures show. */
  output: string;
  file: FileResult;
}

interface FileResult {
  tests: number;
  duration_ms: number;
  failures: string;
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const processes = new Map<string, Process>();
  let closing = "";
  let failed = "";
  const find = (entry: string): Process => {
    const found = processes.get(entry) ?? { titles: [], output: "", file: createResult() };
    processes.set(entry, found);
    return found;
  };
  const finish = (name: string, process: Process): string => {
    const { tests, duration_ms, failures } = process.file;
    process.file = createResult();
    if (failures === "") return `✔ ${name} (${tests} in ${formatSeconds(duration_ms)})\n`;
    const { output } = process;
    process.output = "";
    failed += `✖ ${name}\n`;
    return `✖ ${name} (${formatSeconds(duration_ms)})\n${indent(failures)}${output === "" ? "" : indent(`it printed:\n${output}`)}`;
  };

  for await (const event of events) {
    const { type, data } = event as { type: string; data: EventData };
    if (type === "test:diagnostic" && data.file === undefined) closing += `ℹ ${data.message}\n`;
    const entry = data.entryFile ?? data.file;
    if (entry === undefined) continue;
    const process = find(entry);
    const { titles, file } = process;
    if (type === "test:stdout" || type === "test:stderr") process.output += data.message;
    else if (type === "test:diagnostic") process.output += `ℹ ${data.message}\n`;
    else if (type === "test:start") titles.splice(data.nesting, Number.POSITIVE_INFINITY, data.name);
    else if (type === "test:fail" && data.entryFile === undefined) {
      // The process itself failed: it crashed, timed out, or could not load its file.
      file.failures += describeFailure([], data);
      yield finish(shorten(entry), process);
    } else if (type === "test:pass" || type === "test:fail") {
      titles.splice(data.nesting, Number.POSITIVE_INFINITY, data.name);
      if (type === "test:fail" && !isOfSubtest(data)) file.failures += describeFailure(titles, data);
      if (data.details.type !== "suite") file.tests += 1;
      if (data.nesting > 0) continue;
      file.duration_ms += data.details.duration_ms;
      if (isGroup(entry)) yield finish(data.name, process);
    } else if (type === "test:summary" && !isGroup(entry)) yield finish(shorten(entry), process);
  }
  yield `${closing}${failed === "" ? "" : `\nfailed files:\n${failed}`}`;
}

/** The common members of events; `entryFile` is the file of the reporting process, if a process reported. */
interface EventData {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  readonly entryFile?: string;
  readonly line?: number;
  readonly message: string;
  readonly details: {
    readonly duration_ms: number;
    readonly type?: string;
    readonly error?: Error & { readonly failureType?: string };
  };
}

const createResult = (): FileResult => ({ tests: 0, duration_ms: 0, failures: "" });

/** A parent fails with its subtests, which give the reason. */
function isOfSubtest({ details: { error } }: EventData): boolean {
  return error?.failureType === "subtestsFailed";
}

function describeFailure(titles: readonly string[], { file, line, details: { error } }: EventData): string {
  const title = titles.length === 0 ? "" : `✖ ${titles.join(" › ")}\n`;
  const place = file === undefined ? "" : `at ${shorten(file)}:${line ?? 1}\n`;
  return `${title}${indent(`${place}${inspect(error?.cause ?? error, { depth: 8 })}\n`)}`;
}

const shorten = (file: string): string => relative(process.cwd(), file);

const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const indent = (text: string): string => text.replace(/^(?=.)/gm, "  ");
