/** The entry of the reading process: announces that it is ready, then answers documents one after another. */
import "./close-network.ts";
import { extractDocument } from "./extract-document.ts";
import type { ExtractionRequest } from "./extraction.ts";
import type { ExtractionLimits } from "./limits.ts";
import { watchProcess } from "./process-watch.ts";

/** A request to the process. */
export interface ReaderRequest {
  readonly request: ExtractionRequest;
  readonly limits: ExtractionLimits;
}

watchProcess(Number(process.argv[2]));

// pdf.js leaves promises that reject after the answer.
process.on("unhandledRejection", () => undefined);
process.on("disconnect", () => process.exit());
process.on("message", async ({ request, limits }: ReaderRequest) => {
  process.send?.(await extractDocument(request, limits));
});
process.send?.("ready");
