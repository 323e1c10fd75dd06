import { ApiError, type Operation, type OutputOf } from "@rungs/contract";

const PLACE = /^[\w.-]{1,120}$/;

/** Parses one JSON document of an answer; blames the server for a document that breaks the contract. */
export function requireAnswer<O extends Operation>(operation: O, text: string): OutputOf<O> {
  const parsed = operation.output.safeParse(parseJson(text));
  if (parsed.success) return parsed.data as OutputOf<O>;
  throw new ApiError("unexpected_answer", {
    message: `The server's answer to ${operation.name} is not that of a Rungs server: ${describeIssue(parsed.error.issues[0])}.`,
    next: "Check that the address belongs to a Rungs server of the same version; another server may lack this.",
  });
}

/** Where an answer breaks the contract, without the value, which may hold anything. */
function describeIssue(
  issue: { readonly code: string; readonly path: readonly PropertyKey[] } | undefined,
): string {
  const place = issue?.path.map(String).join(".") ?? "";
  return PLACE.test(place) ? `${place} is missing or has another form` : "it has another form";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
