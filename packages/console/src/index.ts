export { addConsole, type ConsoleOptions } from "./add-console.ts";
export type { ImportFile } from "./context.ts";
export { removeLeftUploads } from "./imports/upload-folder.ts";
export type { SyncDesk } from "./syncs/sync-desk.ts";
