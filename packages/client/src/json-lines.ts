import { ApiError, type Operation, type OutputOf } from "@rungs/contract";
import { requireAnswer } from "./answer.ts";

/** Reads an answer of one JSON document on each line, as they arrive, and refuses one that broke off. */
export async function* readJsonLines<O extends Operation>(
  operation: O,
  { body }: Response,
): AsyncGenerator<OutputOf<O>> {
  let last: { readonly object?: unknown } | undefined;
  for await (const line of readLines(body)) {
    const document = requireAnswer(operation, line);
    yield document;
    last = document as typeof last;
  }
  if (last?.object === "export_end") return;
  throw new ApiError("internal_error", { message: "The answer broke off before its last line." });
}

/** Whole lines only: what stands after the last newline has broken off. */
async function* readLines(body: Response["body"]): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held: string[] = [];
  for await (const chunk of body ?? []) {
    const [first = "", ...lines] = decoder.decode(chunk, { stream: true }).split("\n");
    held.push(first);
    for (const line of lines) {
      yield held.join("");
      held = [line];
    }
  }
}
