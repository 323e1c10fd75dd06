import { asObject, asObjects, asText, type ExportedObject } from "../json/values.ts";

/** The text of a message, apart from its thinking and its tool calls. */
export interface MessageText {
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
  readonly tools?: string | undefined;
}

/** Blocks whose text is not part of what was said: it is stored elsewhere, or they have none. */
const OTHER_BLOCKS = new Set([
  "thinking",
  "redacted_thinking",
  "tool_use",
  "tool_result",
  "token_budget",
  "flag",
]);

/**
 * Reads the blocks of a message. Older exports have only `text`; newer ones fill it with placeholders for other blocks.
 * Calls `noteUnknown` for each block of an unknown type, and keeps its text.
 */
export function readMessageText(message: ExportedObject, noteUnknown: (type: string) => void): MessageText {
  const blocks = asObjects(message.content);
  const gather = (read: (block: ExportedObject) => string | undefined): string | undefined =>
    asText(blocks.map(read).filter(Boolean).join("\n"));
  const unknown = blocks.filter(({ type }) => type !== "text" && !OTHER_BLOCKS.has(String(type)));
  for (const { type } of unknown) noteUnknown(asText(type) ?? "without a type");
  const said = gather((block) => (OTHER_BLOCKS.has(String(block.type)) ? undefined : findBlockText(block)));
  const hasOnlyOthers = blocks.length > 0 && unknown.length === 0;
  return {
    text: said ?? (hasOnlyOthers && !hasText(blocks) ? undefined : asText(message.text)),
    thinking: gather(readThinking),
    tools: gather(renderTool),
  };
}

function hasText(blocks: readonly ExportedObject[]): boolean {
  return blocks.some(({ type }) => type === "text");
}

/** The text of a block: its own, else that of what it contains. */
function findBlockText({ text, content }: ExportedObject): string | undefined {
  return asText(text) ?? asText(renderResult(content).join("\n"));
}

/** A thought and its summaries: sometimes the service shows only those. */
function readThinking({ type, thinking, summaries }: ExportedObject): string | undefined {
  if (type !== "thinking") return undefined;
  const short = asObjects(summaries).flatMap(({ summary }) => asText(summary) ?? []);
  return asText([asText(thinking), ...short].filter(Boolean).join("\n"));
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

/** A result is text, or a list of texts and search results. */
function renderResult(content: unknown): string[] {
  if (typeof content === "string") return [content];
  return asObjects(content).flatMap(({ title, url, text }) =>
    [title, url, text].flatMap((part) => asText(part) ?? []),
  );
}

/** The sources that a message cites, each URL once. */
export function listCitations(message: ExportedObject): object[] {
  const found = asObjects(message.content).flatMap(({ citations }) => asObjects(citations));
  const byUrl = new Map<string, object>();
  for (const citation of found) {
    const details = asObject(citation.details);
    const url = asText(citation.url) ?? asText(details.url);
    if (url === undefined || byUrl.has(url)) continue;
    byUrl.set(url, { url, title: asText(citation.title) ?? asText(details.title) });
  }
  return [...byUrl.values()];
}
