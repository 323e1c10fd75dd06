import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { CommandCall, CommandOption } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";

/** Where the password comes from: never an argument, which every process of the machine can see. */
export const secretOptions: Readonly<Record<string, CommandOption>> = {
  "password-env": { type: "string", value: "VAR", about: "the environment variable that has the password" },
  "password-stdin": { type: "boolean", about: "read the password from standard input" },
};

/** Reads a password: from the variable, from standard input, or from the terminal without showing it. */
export async function readSecret(call: CommandCall): Promise<string> {
  const secret = (await findSecret(call)).replace(/\r?\n$/, "");
  if (secret !== "") return secret;
  throw new UsageError("The password is empty.");
}

async function findSecret({ option, flag, io }: CommandCall): Promise<string> {
  const name = option("password-env");
  if (name !== undefined) {
    const value = io.env[name];
    if (value !== undefined) return value;
    throw new UsageError(`The environment variable ${name} is not set.`);
  }
  if (flag("password-stdin")) return text(process.stdin);
  if (!io.watch || !process.stdin.isTTY)
    throw new UsageError(
      "There is no terminal to ask for the password: use --password-env or --password-stdin.",
    );
  return askSilently("Password");
}

/** Asks at the terminal without showing what is typed. */
export async function askSilently(name: string): Promise<string> {
  process.stderr.write(`${name}: `);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await terminal.question("");
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}
