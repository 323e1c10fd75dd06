import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** The bytes that are still held when everything that can go has gone. */
export async function heldBytes(): Promise<number> {
  // What a WeakRef was made for is held until the turn of the event loop is over.
  await delay(10);
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
