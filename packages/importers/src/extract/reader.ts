/** Runs as a process of its own: says that it is ready, then takes documents one after another and answers each. */
import { extractDocument } from "./extract-document.ts";
import type { ExtractionRequest } from "./extraction.ts";
import type { ExtractionLimits } from "./limits.ts";
import { watchProcess } from "./process-watch.ts";

/** What the process is asked. */
export interface ReaderRequest {
  readonly request: ExtractionRequest;
  readonly limits: ExtractionLimits;
}

watchProcess(Number(process.argv[2]));

// pdf.js leaves promises behind that fail after the document has been answered.
process.on("unhandledRejection", () => undefined);
process.on("disconnect", () => process.exit());
process.on("message", async ({ request, limits }: ReaderRequest) => {
  process.send?.(await extractDocument(request, limits));
});
process.send?.("ready");
