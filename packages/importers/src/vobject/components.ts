import type { ContentLine } from "./content-lines.ts";

/** The lines between BEGIN and END, or what is wrong with them. */
export type Component =
  | { readonly kind: "component"; readonly name: string; readonly lines: readonly ContentLine[] }
  | { readonly kind: "broken"; readonly line: number; readonly reason: string };

const MAX_CHARS = 64 * 1024 ** 2;

/**
 * Yields the components of a file, each with all its lines, including BEGIN and END. Those inside `wrapper` come one by
 * one; the lines of the wrapper itself, BEGIN first, come as unnamed components.
 */
export async function* readComponents(
  lines: AsyncIterable<ContentLine>,
  wrapper?: string,
): AsyncGenerator<Component> {
  let stack: string[] = [];
  let held: ContentLine[] = [];
  let size = 0;
  const breakOff = (reason: string): Component => {
    const line = held[0]?.number ?? 0;
    stack = [];
    held = [];
    size = 0;
    return { kind: "broken", line, reason };
  };
  for await (const line of lines) {
    const [, edge, name = ""] = /^(BEGIN|END):\s*([\w-]+)\s*$/i.exec(line.text) ?? [];
    const part = name.toUpperCase();
    const begins = edge?.toUpperCase() === "BEGIN";
    if (edge !== undefined && part === wrapper) {
      if (stack.length > 0) yield breakOff(`A ${stack[0]} has no END line.`);
      if (begins) yield { kind: "component", name: "", lines: [line] };
      continue;
    }
    if (begins && part === stack[0]) yield breakOff(`A ${part} has no END line.`);
    if (begins) stack.push(part);
    if (edge !== undefined && !begins && stack.length === 0) {
      yield {
        kind: "broken",
        line: line.number,
        reason: `An END:${part} has no BEGIN line; what it ends was not read.`,
      };
      continue;
    }
    if (stack.length === 0) {
      if (edge === undefined) yield { kind: "component", name: "", lines: [line] };
      continue;
    }
    held.push(line);
    size += line.text.length;
    if (size > MAX_CHARS) yield breakOff(`A ${stack[0]} is larger than ${MAX_CHARS} characters.`);
    if (edge !== undefined && !begins && stack.includes(part)) {
      stack.length = stack.lastIndexOf(part);
      if (stack.length > 0) continue;
      yield { kind: "component", name: part, lines: held };
      held = [];
      size = 0;
    }
  }
  if (stack.length > 0) yield breakOff(`A ${stack[0]} has no END line.`);
}
