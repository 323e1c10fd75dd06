import { asObjects, asText, type ExportedObject } from "../json/values.ts";
import { renderBlocks } from "./blocks.ts";
import { renderMrkdwn } from "./mrkdwn.ts";
import type { Names } from "./names.ts";

/** All text of a message: its own, its blocks if they contain more, and its attachments. */
export function renderSlackMessage(message: ExportedObject, names: Names): string {
  const text = renderMrkdwn(asText(message.text) ?? "", names);
  const blocks = text === "" || hasMoreThanText(message) ? renderBlocks(message.blocks, names) : "";
  const own = blocks.includes(text) ? [blocks] : [text, blocks];
  const attached = asObjects(message.attachments).map((attachment) => renderAttachment(attachment, names));
  return [...own, ...attached].filter((part) => part !== "").join("\n");
}

/** A person's text is repeated as a `rich_text` block; the text of an application is only a fallback for its blocks. */
function hasMoreThanText({ blocks }: ExportedObject): boolean {
  return asObjects(blocks).some(({ type }) => type !== "rich_text");
}

function renderAttachment(attachment: ExportedObject, names: Names): string {
  const show = (value: unknown): string => renderMrkdwn(asText(value) ?? "", names);
  const { pretext, author_name, title, title_link, text, fields, blocks } = attachment;
  const heading = asText(title) && asText(title_link) ? `${show(title)} (${title_link})` : show(title);
  const rows = asObjects(fields).map((field) =>
    [show(field.title), show(field.value)].filter(Boolean).join(": "),
  );
  const parts = [show(pretext), show(author_name), heading, show(text), ...rows, renderBlocks(blocks, names)];
  return parts.filter((part) => part !== "").join("\n") || show(attachment.fallback);
}
