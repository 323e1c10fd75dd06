export { addConsole, type ConsoleOptions } from "./add-console.ts";
export type { ImportFile, ImportProgress } from "./imports/import-file.ts";
export { removeLeftUploads } from "./imports/upload-folder.ts";
