export { declare, type StreamOutline, shapes } from "./declare.ts";
export { detectImporter, requireImporter } from "./detect.ts";
export type { Extraction, ExtractionRequest } from "./extract/extraction.ts";
export {
  createExtractor,
  type Extractor,
  type ExtractorOptions,
} from "./extract/extractor.ts";
export { EXTRACTION_LIMITS, type ExtractionLimits } from "./extract/limits.ts";
export type { FileEntry, Files, RefusedFile } from "./files/files.ts";
export { identifyFiles } from "./files/identify-files.ts";
export { openFiles } from "./files/open-files.ts";
export type { Importer, ImportSource } from "./importer.ts";
export { importers } from "./importers.ts";
