/** The entry point of the reading process: signals that it is ready, then reads one document after another. */
import "./close-network.ts";
import { extractDocument } from "./extract-document.ts";
import type { ExtractionRequest } from "./extraction.ts";
import type { ExtractionLimits } from "./limits.ts";
import type { OcrSetup } from "./ocr/ocr-setup.ts";
import { createRecogniser, type Recogniser } from "./ocr/recogniser.ts";
import { watchProcess } from "./process-watch.ts";

/** A request to the process. */
export interface ReaderRequest {
  readonly request: ExtractionRequest;
  readonly limits: ExtractionLimits;
  /** Where the program for OCR is, if the owner asked for it. */
  readonly ocr?: OcrSetup | undefined;
}

let recogniser: Recogniser | undefined;

watchProcess(Number(process.argv[2]));

// pdf.js leaves promises behind that reject after the answer.
process.on("unhandledRejection", () => undefined);
process.on("disconnect", () => process.exit());
process.on("message", async ({ request, limits, ocr }: ReaderRequest) => {
  if (ocr) recogniser ??= createRecogniser(ocr, limits.ocr_page_ms);
  process.send?.(await extractDocument(request, limits, recogniser));
});
process.send?.("ready");
