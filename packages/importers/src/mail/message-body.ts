import type { Email } from "postal-mime";
import { htmlToText } from "../extract/html-text.ts";

/** What a person would read of a message. */
export interface MessageBody {
  readonly body?: string | undefined;
  readonly body_source?: "plain" | "html" | undefined;
  readonly hidden_text?: string | undefined;
}

/** The body: the text that was written, or the text of the web page where there is no other. */
export function findBody({ text, html }: Email): MessageBody {
  const plain = tidyText(text ?? "");
  if (plain !== "") return { body: plain, body_source: "plain" };
  if (html === undefined) return {};
  const { text: shown, title = "", hidden } = htmlToText(html);
  return { body: tidyText(shown) || title, body_source: "html", hidden_text: hidden };
}

function tidyText(text: string): string {
  const unix = text.replaceAll("\r\n", "\n").trimEnd();
  return unix.trimStart() === "" ? "" : unix;
}
