export { addConsole, type ConsoleOptions } from "./add-console.ts";
export type { ImportFile, ImportProgress } from "./imports/import-file.ts";
