export { addConsole, refuseWithPage } from "./add-console.ts";
export type { ImportFile } from "./context.ts";
export { removeLeftUploads } from "./imports/upload-folder.ts";
export type { ConsoleOptions } from "./owner-contexts.ts";
export type { SyncDesk } from "./syncs/sync-desk.ts";
