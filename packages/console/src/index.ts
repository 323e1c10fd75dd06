export { addConsole, type ConsoleOptions } from "./add-console.ts";
export type { ImportedConnection, ImportFile, ImportJobProgress } from "./context.ts";
export { removeLeftUploads } from "./imports/upload-folder.ts";
