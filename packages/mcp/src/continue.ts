import type { ReadName } from "@rungs/contract";
import type { Continuation } from "@rungs/evidence";

/** A call by the arguments that were given, so that a way on repeats them. */
export function repeatCall(
  operation: ReadName,
  input: Readonly<Record<string, Continuation["args"][string] | undefined>>,
): Continuation {
  const given = Object.entries(input).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { operation, args: Object.fromEntries(given) };
}

/** The call for the page after this one. */
export function nextPage(call: Continuation, cursor: string | null | undefined): { next?: Continuation } {
  return cursor ? { next: { ...call, args: { ...call.args, cursor } } } : {};
}
