import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { Extraction, ExtractionRequest } from "./extraction.ts";
import { EXTRACTION_LIMITS, type ExtractionLimits } from "./limits.ts";
import type { OcrSetup } from "./ocr/ocr-setup.ts";
import { endReader, findProgram, isRunning, requestExtraction, startReader } from "./reader-process.ts";

/** Extracts the text of documents in another process. */
export interface Extractor {
  /**
   * Extracts one document at a time. Never rejects because of a document: a crash or a hang fails only that document.
   */
  extract(request: ExtractionRequest): Promise<Extraction>;
  close(): Promise<void>;
}

/** Options of an extractor. */
export interface ExtractorOptions {
  readonly limits?: Partial<ExtractionLimits> | undefined;
  /** Reads the text of pictures too, with the program that the owner installed. */
  readonly ocr?: OcrSetup | undefined;
  /** Another program for the process. */
  readonly script?: URL | undefined;
}

const SCRIPT = findProgram("reader", import.meta.url);

/** Creates an extractor. Its process starts with the first document, is reused, and is replaced after a crash. */
export function createExtractor(options: ExtractorOptions = {}): Extractor {
  const { ocr } = options;
  const limits = { ...EXTRACTION_LIMITS, ...options.limits };
  let reader: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const run = async (request: ExtractionRequest): Promise<Extraction> => {
    if (!reader || !isRunning(reader))
      reader = await startReader(options.script ?? SCRIPT, limits, listFolders(ocr));
    return requestExtraction(reader, request, limits, ocr);
  };
  return {
    extract(request) {
      if (request.bytes.length > limits.input_bytes) {
        const reason = `It is larger than ${limits.input_bytes} bytes.`;
        return Promise.resolve({ kind: "failed", reason });
      }
      const answer = last.then(() => run(request));
      last = answer.catch(() => undefined);
      return answer;
    },
    async close() {
      await last;
      if (reader) await endReader(reader);
    },
  };
}

/** The files that the process may read for OCR. */
function listFolders(ocr: OcrSetup | undefined): string[] {
  return ocr ? [join(ocr.program, "*"), ...ocr.languages.map(({ file }) => file)] : [];
}
