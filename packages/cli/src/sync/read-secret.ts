import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { CommandCall, CommandOption } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";

/** Where the password comes from: never an argument, which every process of the machine can see. */
export const secretOptions: Readonly<Record<string, CommandOption>> = {
  "password-env": { type: "string", value: "VAR", about: "the environment variable that has the password" },
  "password-stdin": { type: "boolean", about: "read the password from standard input" },
  device: { type: "boolean", about: "with --oauth: sign in on another machine, with a code" },
  "client-secret-env": {
    type: "string",
    value: "VAR",
    about: "with --oauth: the environment variable that has the secret of the client, if it has one",
  },
};

/** Reads a password: from the variable, from standard input, or from the terminal without showing it. */
export async function readSecret(call: CommandCall): Promise<string> {
  const secret = (await findSecret(call)).replace(/\r?\n$/, "");
  if (secret !== "") return secret;
  throw new UsageError("The password is empty.");
}

/** Whether the command line says where the password comes from. */
export function hasGivenSecret({ option, flag }: CommandCall): boolean {
  return option("password-env") !== undefined || flag("password-stdin");
}

/** The value of the environment variable that an option names; undefined without the option. */
export function readVariable({ option, io }: CommandCall, name: string): string | undefined {
  const variable = option(name);
  if (variable === undefined) return undefined;
  const value = io.env[variable];
  if (value !== undefined) return value;
  throw new UsageError(`The environment variable ${variable} is not set.`);
}

async function findSecret(call: CommandCall): Promise<string> {
  const { flag, io } = call;
  const given = readVariable(call, "password-env");
  if (given !== undefined) return given;
  if (flag("password-stdin")) return text(process.stdin);
  if (!io.watch || !process.stdin.isTTY)
    throw new UsageError(
      "There is no terminal to ask for the password: use --password-env or --password-stdin.",
    );
  return promptSecret("Password");
}

/** Asks at the terminal without showing what is typed. */
export async function promptSecret(name: string): Promise<string> {
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
