/** Folders of documents and notes on this machine. */

import { watch } from "node:fs/promises";
import { documentsManifest } from "@rungs/importers";
import type { LiveSource } from "../live-source.ts";
import { readFiles } from "./read-files.ts";
import { scanFolder } from "./scan.ts";
import { requireFolderSettings } from "./settings.ts";

/** Reads a folder again when something in it changes. It connects to no host. */
export const folder: LiveSource = {
  kind: "folder",
  label: "Folder of documents and notes",
  hasSecret: () => false,
  declare: documentsManifest,
  requireSettings: requireFolderSettings,
  describe: (settings) => ({ account: requireFolderSettings(settings).path, hosts: [] }),
  async check({ settings }) {
    await scanFolder(requireFolderSettings(settings));
  },
  read: readFiles,
  wait: ({ settings }, signal) => waitForFiles(requireFolderSettings(settings).path, signal),
};

/** Programs write a file in several steps: the folder is read once it has been quiet for this long. */
const QUIET_MS = 500;

/** Waits until something changed in a folder and it is quiet again; ends at once where it cannot be watched. */
async function waitForFiles(path: string, signal: AbortSignal): Promise<void> {
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
