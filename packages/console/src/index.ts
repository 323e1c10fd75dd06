export { addConsole, type ConsoleOptions } from "./add-console.ts";
export type { ImportFile, ImportJobProgress } from "./imports/import-file.ts";
export { removeLeftUploads } from "./imports/upload-folder.ts";
