import { watch } from "node:fs/promises";

/** Programs write a file in several steps: the folder is read when it was quiet for so long. */
const QUIET_MS = 500;

/** Waits until something changed in a folder and it is quiet again; ends at once where it cannot be watched. */
export async function waitForFiles(path: string, signal: AbortSignal): Promise<void> {
  const ends = new AbortController();
  const end = () => ends.abort();
  signal.addEventListener("abort", end);
  let quiet: NodeJS.Timeout | undefined;
  try {
    for await (const _ of watch(path, { recursive: true, signal: ends.signal })) {
      clearTimeout(quiet);
      quiet = setTimeout(end, QUIET_MS);
    }
  } catch (error) {
    if ((error as { name?: string }).name !== "AbortError") throw error;
  } finally {
    clearTimeout(quiet);
    signal.removeEventListener("abort", end);
  }
}
