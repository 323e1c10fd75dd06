export { declare, type StreamOutline, shapes, withSourceId } from "./declare.ts";
export type { Confidence, Detection } from "./detect/detection.ts";
export { isProgramFile } from "./detect/sample.ts";
export { type FileGroup, type SortedFiles, sortFiles } from "./detect/sort-files.ts";
export { readDocumentFile, readLinkedFile } from "./documents/documents.ts";
export { documentsManifest } from "./documents/manifest.ts";
export { createReferences } from "./documents/references.ts";
export type { Extraction, ExtractionRequest } from "./extract/extraction.ts";
export {
  createExtractor,
  type Extractor,
  type ExtractorOptions,
} from "./extract/extractor.ts";
export { EXTRACTION_LIMITS, type ExtractionLimits } from "./extract/limits.ts";
export { findOcr, type OcrSetup } from "./extract/ocr/ocr-setup.ts";
export { FILE_OPENED } from "./files/file-set.ts";
export type { FileEntry, Files, RefusedFile } from "./files/files.ts";
export { createMemoryFiles } from "./files/memory-files.ts";
export { identifyFiles, openFiles } from "./files/open-files.ts";
export { selectFiles, withoutFile } from "./files/select-files.ts";
export type { Importer, ImportSource, ItemServices } from "./importer.ts";
export { detectFormats, importers, importersWithOcr, requireImporter } from "./importers.ts";
export { MESSAGE_MAX_BYTES, MESSAGE_TOO_LARGE } from "./mail/mail.ts";
export { readMailItem } from "./mail/mail-items.ts";
export { mailManifest } from "./mail/manifest.ts";
export { isTimeZone } from "./zone-offset.ts";
