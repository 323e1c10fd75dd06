import {
  ApiError,
  type ErrorBody,
  errorBodySchema,
  type Operation,
  type OutputOf,
  splitLines,
} from "@rungs/contract";
import { requireAnswer } from "./answer.ts";
import { toRefusal } from "./send.ts";

/** No limit here: the server bounds the size of a record. */
const NO_LIMIT = { max_bytes: Number.POSITIVE_INFINITY };

const decoder = new TextDecoder();

/** A line of an answer, except an error, which is thrown. */
export type AnswerLine<O extends Operation> = Exclude<OutputOf<O>, ErrorBody>;

/** Reads an answer of one JSON document per line as the lines arrive; throws the error of an answer that breaks off. */
export async function* readJsonLines<O extends Operation>(
  operation: O,
  { body }: Response,
  { last_line }: { readonly last_line?: string } = {},
): AsyncGenerator<AnswerLine<O>> {
  let last: { readonly object?: unknown } | undefined;
  let broken: unknown;
  for await (const line of splitLines(body ?? ReadableStream.from([]), NO_LIMIT)) {
    // Bytes after the last newline are a truncated line.
    if (!line.has_newline) break;
    const text = decoder.decode(line.bytes);
    if (text === "") continue;
    const refusal = parseRefusal(text);
    if (refusal) throw refusal;
    if (broken) throw broken;
    try {
      last = requireAnswer(operation, text) as typeof last;
    } catch (error) {
      // The line may be truncated; the next one is then the error.
      broken = error;
      continue;
    }
    yield last as AnswerLine<O>;
  }
  if (broken) throw broken;
  if (last_line === undefined || last?.object === last_line) return;
  throw new ApiError("unexpected_answer", { message: "The answer broke off before its last line." });
}

/** The error that a stream ended with; undefined for any other line. */
function parseRefusal(line: string): ApiError | undefined {
  if (!line.startsWith('{"error":')) return undefined;
  try {
    const { data } = errorBodySchema.safeParse(JSON.parse(line));
    return data && toRefusal(data);
  } catch {
    return undefined;
  }
}
