import { ApiError, type Operation, type OutputOf } from "@rungs/contract";

/** Parses one JSON document of an answer; a document that breaks the contract is the server's error. */
export function requireAnswer<O extends Operation>(operation: O, text: string): OutputOf<O> {
  const parsed = operation.output.safeParse(parseJson(text));
  if (parsed.success) return parsed.data as OutputOf<O>;
  const message = `The server's answer to ${operation.name} does not have the form that the contract promises.`;
  throw new ApiError("unexpected_answer", { message });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
