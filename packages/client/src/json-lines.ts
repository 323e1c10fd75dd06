import { ApiError, type Operation, type OutputOf, splitLines } from "@rungs/contract";
import { requireAnswer } from "./answer.ts";

/** The server decides how long a record is. */
const NO_LIMIT = { max_bytes: Number.POSITIVE_INFINITY };

const decoder = new TextDecoder();

/** Reads an answer of one JSON document per line as the lines arrive; refuses an answer that breaks off. */
export async function* readJsonLines<O extends Operation>(
  operation: O,
  { body }: Response,
): AsyncGenerator<OutputOf<O>> {
  let last: { readonly object?: unknown } | undefined;
  for await (const line of splitLines(body ?? ReadableStream.from([]), NO_LIMIT)) {
    // What follows the last newline broke off.
    if (!line.has_newline) break;
    const document = requireAnswer(operation, decoder.decode(line.bytes));
    yield document;
    last = document as typeof last;
  }
  if (last?.object === "export_end") return;
  throw new ApiError("internal_error", { message: "The answer broke off before its last line." });
}
