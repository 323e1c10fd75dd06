import { asObject, asObjects, asText, type ExportedObject } from "../json/values.ts";

/** The text of a message, apart from its thinking and its tool calls. */
export interface MessageText {
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
  readonly tools?: string | undefined;
}

/** Reads the blocks of a message. Older exports have only `text`; newer ones fill it with placeholders for other blocks. */
export function readMessageText(message: ExportedObject): MessageText {
  const blocks = asObjects(message.content);
  const gather = (read: (block: ExportedObject) => string | undefined): string | undefined =>
    asText(blocks.map(read).filter(Boolean).join("\n"));
  return {
    text:
      gather(({ type, text }) => (type === "text" ? asText(text) : undefined)) ?? readPlain(message, blocks),
    thinking: gather(({ type, thinking }) => (type === "thinking" ? asText(thinking) : undefined)),
    tools: gather(renderTool),
  };
}

function readPlain(message: ExportedObject, blocks: readonly ExportedObject[]): string | undefined {
  const hasOnlyOthers = blocks.length > 0 && blocks.every(({ type }) => type !== "text");
  return hasOnlyOthers ? undefined : asText(message.text);
}

function renderTool(block: ExportedObject): string | undefined {
  const name = asText(block.name) ?? "tool";
  if (block.type === "tool_use") {
    const input = Object.entries(asObject(block.input)).map(
      ([key, value]) => `${key}: ${renderValue(value)}`,
    );
    return [`→ ${name}`, ...input].join("\n");
  }
  if (block.type !== "tool_result") return undefined;
  return [`← ${name}`, ...renderResult(block.content)].join("\n");
}

function renderValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A result is text, or a list of texts and found pages. */
function renderResult(content: unknown): string[] {
  if (typeof content === "string") return [content];
  return asObjects(content).flatMap(({ title, url, text }) =>
    [title, url, text].flatMap((part) => asText(part) ?? []),
  );
}

/** The sources that a message cites, each address once. */
export function listToolCitations(message: ExportedObject): object[] {
  const found = asObjects(message.content).flatMap(({ citations }) => asObjects(citations));
  const byAddress = new Map<string, object>();
  for (const citation of found) {
    const details = asObject(citation.details);
    const url = asText(citation.url) ?? asText(details.url);
    if (url === undefined || byAddress.has(url)) continue;
    byAddress.set(url, { url, title: asText(citation.title) ?? asText(details.title) });
  }
  return [...byAddress.values()];
}
