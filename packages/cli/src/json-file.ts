import { readFileSync } from "node:fs";
import { UsageError } from "./command/exit.ts";

/** Reads a file of JSON, or says what is wrong with it. */
export function readJsonFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`${file} cannot be read.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON.`);
  }
}
