import { ApiError, type Operation, type OutputOf } from "@rungs/contract";

/** Reads one JSON document of an answer as the contract promises it; another form is the server's fault. */
export function requireAnswer<O extends Operation>(operation: O, text: string): OutputOf<O> {
  const parsed = operation.output.safeParse(parseJson(text));
  if (parsed.success) return parsed.data as OutputOf<O>;
  const message = `The server's answer to ${operation.name} does not have the form that the contract promises.`;
  throw new ApiError("internal_error", { message });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
