import { asList, asObjects, asText, type ExportedObject, isObject } from "../json/values.ts";
import { renderMrkdwn } from "./mrkdwn.ts";
import type { Names } from "./names.ts";

const MAX_DEPTH = 32;

/** The text of Block Kit blocks (https://docs.slack.dev/reference/block-kit/blocks), a line for each. */
export function renderBlocks(blocks: unknown, names: Names): string {
  const lines = asObjects(blocks).map((block) => renderBlock(block, names, 0));
  return lines.filter((line) => line.trim() !== "").join("\n");
}

function renderBlock(block: ExportedObject, names: Names, depth: number): string {
  if (depth > MAX_DEPTH) return "";
  const inline = INLINE.get(asText(block.type) ?? "");
  if (inline) return inline(block, names);
  const inner = [block.title, block.text, block.description, block.accessory, ...asList(block.fields)];
  const own = inner.map((part) => renderText(part, names, depth));
  const elements = asObjects(block.elements).map((element) => renderBlock(element, names, depth + 1));
  const joined = elements.join(INLINE_BLOCKS.has(asText(block.type) ?? "") ? "" : "\n");
  return [...own, joined, asText(block.alt_text)]
    .filter((part) => part !== undefined && part !== "")
    .join("\n");
}

/** Blocks whose elements form one text. */
const INLINE_BLOCKS = new Set(["rich_text_section", "rich_text_preformatted", "rich_text_quote"]);

/** Renders a text object, or an element that contains one. */
function renderText(part: unknown, names: Names, depth: number): string {
  if (typeof part === "string") return renderMrkdwn(part, names);
  if (!isObject(part)) return "";
  if (part.type === "plain_text") return asText(part.text) ?? "";
  return part.type === "mrkdwn"
    ? renderMrkdwn(asText(part.text) ?? "", names)
    : renderBlock(part, names, depth + 1);
}

/** The pieces of rich text. */
const INLINE = new Map<string, (piece: ExportedObject, names: Names) => string>([
  ["text", ({ text }) => asText(text) ?? ""],
  ["plain_text", ({ text }) => asText(text) ?? ""],
  ["mrkdwn", ({ text }, names) => renderMrkdwn(asText(text) ?? "", names)],
  ["link", ({ url, text }) => (asText(text) ? `${text} (${url})` : (asText(url) ?? ""))],
  ["user", ({ user_id }, { users }) => `@${users.get(String(user_id)) ?? user_id}`],
  ["channel", ({ channel_id }, { channels }) => `#${channels.get(String(channel_id)) ?? channel_id}`],
  ["usergroup", ({ usergroup_id }) => `@${usergroup_id}`],
  ["broadcast", ({ range }) => `@${range}`],
  ["emoji", ({ name }) => `:${name}:`],
  ["date", ({ fallback }) => asText(fallback) ?? ""],
]);
