/** Folders of documents and notes on this machine. */
import { documentsManifest } from "@rungs/importers";
import type { LiveSource } from "../live-source.ts";
import { readFiles } from "./read-files.ts";
import { scanFolder } from "./scan.ts";
import { requireFolderSettings } from "./settings.ts";
import { waitForFiles } from "./wait-for-files.ts";

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
