import { createInterface } from "node:readline/promises";
import { text } from "node:stream/consumers";
import type { OwnerAnswer, SyncQuestion } from "@rungs/sources";
import type { CommandCall } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";
import { readPairs } from "./connector-address.ts";
import { promptSecret } from "./read-secret.ts";

/** Reads the answer to a question: from options, from standard input, and the rest from the terminal. */
export async function readAnswer(call: CommandCall, { message, fields }: SyncQuestion): Promise<OwnerAnswer> {
  if (call.flag("answer-stdin")) return parseAnswer(await text(process.stdin));
  const answer = readPairs(call, "set");
  const secret = fields.find(({ name, is_secret }) => is_secret && answer[name] !== undefined);
  if (secret)
    throw new UsageError(
      `${secret.name} is secret, and others see what is on a command line: use --answer-stdin.`,
    );
  const open = fields.filter(({ name }) => answer[name] === undefined);
  if (open.length === 0) return answer;
  if (!call.io.watch || !process.stdin.isTTY)
    throw new UsageError(
      `There is no terminal to ask for ${open.map(({ name }) => name).join(", ")}: use --answer-stdin.`,
    );
  process.stderr.write(`${message}\n`);
  for (const { name, is_secret } of open)
    answer[name] = is_secret ? await promptSecret(name) : await ask(name);
  return answer;
}

function parseAnswer(given: string): OwnerAnswer {
  const answer = parseJson(given);
  if (typeof answer === "object" && answer !== null && !Array.isArray(answer)) {
    const pairs = Object.entries(answer);
    if (pairs.every(([, value]) => typeof value === "string")) return Object.fromEntries(pairs);
  }
  throw new UsageError(
    'The answer on standard input is a JSON object of strings, such as {"code": "123456"}.',
  );
}

function parseJson(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

async function ask(name: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(`${name}: `);
  } finally {
    terminal.close();
  }
}
