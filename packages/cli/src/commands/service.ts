import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command, CommandCall } from "../command/command.ts";
import { confirmChange, yesOption } from "../command/confirm.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { DEFAULT_PORT, requirePort } from "../command/option-values.ts";
import { resolveHome } from "../home/home.ts";
import { readSystem } from "../home/system.ts";
import type { ServiceProgram } from "../service/render-unit.ts";
import { requireServiceManager } from "../service/service-manager.ts";

/** `rungs service install`: the system starts `rungs serve` whenever its owner signs in, and again after a crash. */
export const serviceInstall: Command = {
  options: {
    port: { type: "string", value: "N", about: "the port to listen on; 7717 by default" },
    "behind-proxy": {
      type: "string",
      value: "URL",
      about: "the https address of a proxy, as for rungs serve",
    },
    yes: yesOption,
    print: { type: "boolean", about: "print the file, and exit" },
  },
  async run(call) {
    const manager = requireServiceManager(readSystem(call.io.env));
    const text = manager.render(describeProgram(call));
    if (call.flag("print")) {
      call.io.out(text.trimEnd());
      return Exit.done;
    }
    call.io.err(`Writes ${manager.file}:\n${text}`);
    if (!(await confirmChange(call))) return Exit.failed;
    mkdirSync(dirname(manager.file), { recursive: true });
    writeFileSync(manager.file, text, { mode: 0o600 });
    const failed = runAll(manager.start);
    report(call, manager.file, failed ?? "The server runs, and starts again at every sign-in.");
    return failed === undefined ? Exit.done : Exit.failed;
  },
};

/** `rungs service remove`: the system no longer starts the server. The data stays. */
export const serviceRemove: Command = {
  async run(call) {
    const manager = requireServiceManager(readSystem(call.io.env));
    if (!existsSync(manager.file)) throw new UsageError(`There is no service at ${manager.file}.`);
    const failed = runAll(manager.stop);
    rmSync(manager.file);
    report(
      call,
      manager.file,
      failed ?? "The server is stopped and no longer starts by itself. The data stays.",
    );
    return failed === undefined ? Exit.done : Exit.failed;
  },
};

/** The same Node and program as now; a database address may hold a password, so it goes into the environment. */
function describeProgram(call: CommandCall): ServiceProgram {
  const { option, io } = call;
  const bin = fileURLToPath(new URL("../../bin/rungs.js", import.meta.url));
  const port = requirePort(option("port") ?? DEFAULT_PORT);
  const proxy = option("behind-proxy");
  const database = option("database") ?? io.env.RUNGS_DATABASE;
  return {
    command: process.execPath,
    args: [
      ...[bin, "serve", "--port", String(port), "--home", resolveHome(call)],
      ...(proxy === undefined ? [] : ["--behind-proxy", proxy]),
    ],
    env: database === undefined ? {} : { RUNGS_DATABASE: database },
  };
}

/** Runs the programs in turn; returns what to do by hand if one fails. */
function runAll(programs: readonly (readonly string[])[]): string | undefined {
  for (const [at, [command = "", ...args]] of programs.entries()) {
    const { status } = spawnSync(command, args, { stdio: "ignore" });
    if (status === 0) continue;
    const rest = programs.slice(at).map((words) => words.join(" "));
    return `The file is in place, but this failed: run ${rest.join(" && ")}`;
  }
  return undefined;
}

function report({ io, flag }: CommandCall, file: string, message: string): void {
  io.out(flag("json") ? JSON.stringify({ file, message }) : message);
}
