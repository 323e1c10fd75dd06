import { isAbsolute, normalize } from "node:path";
import { ApiError } from "@rungs/contract";
import { z } from "zod";
import type { SourceSettings } from "../live-source.ts";

const settingsSchema = z.strictObject({
  /** Where the folder is; absolute, since the server may run in another one. */
  path: z.string().min(1).refine(isAbsolute),
  /** Folders inside that are left out, by their path from there. */
  without_folders: z.array(z.string().min(1)).max(1000).optional(),
  /** Leaves exports, such as mbox files and archives, where they are. */
  documents_only: z.boolean().optional(),
});

/** The settings of a watched folder. */
export type FolderSettings = z.infer<typeof settingsSchema>;

/** Checks the settings of a folder; throws `invalid_request`. */
export function requireFolderSettings(given: SourceSettings): FolderSettings {
  const parsed = settingsSchema.safeParse(given);
  if (parsed.success) return { ...parsed.data, path: normalize(parsed.data.path) };
  throw new ApiError("invalid_request", {
    param: parsed.error.issues[0]?.path.join(".") || "path",
    message: "The path of the folder must be absolute.",
    next: "Give the whole path, such as /home/me/Notes.",
  });
}
