/** Writes the configuration of a host: adds the server `rungs` and leaves everything else as it is. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
import { dirname, resolve } from "node:path";
import { UsageError } from "../command/exit.ts";
import { findSettingsFolder, pathsOf, readSystem, type System } from "../home/system.ts";
import type { HostTarget, NamedHost } from "./list-hosts.ts";

/** The file of each host that has one: below the person's folder, or of this project. */
const FILES: Readonly<Record<string, (system: System) => string>> = {
  "claude-desktop": (system) =>
    pathsOf(system).join(findSettingsFolder(system), "Claude", "claude_desktop_config.json"),
  codex: (system) =>
    pathsOf(system).join(system.env.CODEX_HOME || pathsOf(system).join(system.home, ".codex"), "config.toml"),
  "gemini-cli": (system) => pathsOf(system).join(system.home, ".gemini", "settings.json"),
  opencode: () => resolve("opencode.json"),
  "copilot-cli": (system) => pathsOf(system).join(system.home, ".copilot", "mcp-config.json"),
  cursor: (system) => pathsOf(system).join(system.home, ".cursor", "mcp.json"),
  "vs-code": () => resolve(".vscode", "mcp.json"),
};

/** The configuration file of a host; undefined if it has none. */
export function findHostFile(name: string, system: System): string | undefined {
  return FILES[name]?.(system);
}

/** What to do for a host: change a file, or run a program. */
export type HostChange =
  | { readonly kind: "file"; readonly file: string; readonly text: string }
  | { readonly kind: "program"; readonly command: string; readonly args: readonly string[] };

/** Plans the change, without making it. */
export function planHostChange(
  { name, host, text }: NamedHost,
  target: HostTarget,
  env: System["env"],
): HostChange {
  if (name === "claude-code") return { kind: "program", command: "claude", args: listClaudeArgs(target) };
  const file = findHostFile(name, readSystem(env));
  if (file === undefined)
    throw new UsageError(`${host} has no file to write: rungs connect --print ${name} shows what to enter.`);
  const old = existsSync(file) ? readFileSync(file, "utf8") : "";
  return {
    kind: "file",
    file,
    text: file.endsWith(".toml") ? mergeToml(old, text) : mergeJson(old, text, file),
  };
}

/** Makes the change. The earlier file stays beside the new one. */
export function applyHostChange(change: HostChange): void {
  if (change.kind === "program") runProgram(change.command, change.args);
  else writeConfiguration(change.file, change.text);
}

function writeConfiguration(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file)) copyFileSync(file, `${file}.before-rungs`);
  const part = `${file}.part`;
  writeFileSync(part, text, { mode: 0o600 });
  renameSync(part, file);
}

function listClaudeArgs({ url, token }: HostTarget): string[] {
  const header = token === undefined ? [] : ["--header", `Authorization: Bearer ${token}`];
  return ["mcp", "add", "--transport", "http", "rungs", `${url}/mcp`, ...header];
}

function runProgram(command: string, args: readonly string[]): void {
  // npm installs a script for Windows, which only a shell starts.
  const { error, status } = spawnSync(command, args, { stdio: "inherit", shell: platform() === "win32" });
  if (error) {
    const next = "rungs connect --print claude-code shows what to run when it is installed";
    throw new UsageError(`${command} cannot be started (${(error as { code?: string }).code}): ${next}.`);
  }
  if (status !== 0) throw new Error(`${command} failed with exit code ${status}.`);
}

/** Adds the members of `text` to those of the same names in a JSON file. */
function mergeJson(old: string, text: string, file: string): string {
  const added: Record<string, unknown> = JSON.parse(text);
  const known = parseObject(old.trim() === "" ? "{}" : old, file);
  const merged = Object.entries(added).map(([key, value]) => [
    key,
    isObject(value) ? { ...(isObject(known[key]) ? known[key] : {}), ...value } : value,
  ]);
  return `${JSON.stringify({ ...known, ...Object.fromEntries(merged) }, null, 2)}\n`;
}

function parseObject(text: string, file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Some hosts allow comments, which would be lost.
  }
  throw new UsageError(`${file} is not plain JSON, so it is not changed: use --print and add it by hand.`);
}

/** Replaces the table of `text` in a TOML file, or appends it. */
function mergeToml(old: string, text: string): string {
  const [head = ""] = text.split("\n");
  const lines = old.split("\n");
  const start = lines.findIndex((line) => line.trim() === head);
  if (start < 0) return `${old.trimEnd()}${old.trim() === "" ? "" : "\n\n"}${text}\n`;
  const length = lines.slice(start + 1).findIndex((line) => line.trimStart().startsWith("["));
  const rest = length < 0 ? [] : ["", ...lines.slice(start + 1 + length)];
  return [...lines.slice(0, start), text, ...rest].join("\n").replace(/\n*$/, "\n");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
