/** Compares what a host got from a tool with what it passed on to its model. */

/** The answer of a tool, as the protocol carries it. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

/** Which halves of an answer the model saw whole. */
export interface Halves {
  readonly text: boolean;
  readonly structured: boolean;
}

/** Reads the answers of tools out of the messages that a server sent: JSON lines, or server-sent events. */
export function readResults(sent: string): ToolResult[] {
  return sent.split("\n").flatMap((line) => {
    const message = parseJson(line.replace(/^data: /, "")) as { result?: ToolResult } | undefined;
    return Array.isArray(message?.result?.content) ? [message.result] : [];
  });
}

/** Finds the halves of an answer in what the model was shown; a half that was cut or reworded does not count. */
export function findHalves(seen: unknown, { content, structuredContent }: ToolResult): Halves {
  const strings = listStrings(seen);
  const [first] = content;
  const text = first?.text ?? "";
  const json = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  return {
    text: strings.some((each) => each.includes(text)),
    structured: json !== undefined && strings.some((each) => each.includes(json)),
  };
}

/** Every string inside a value. */
function listStrings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap(listStrings);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
