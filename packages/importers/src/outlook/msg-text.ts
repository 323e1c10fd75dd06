import { cleanText } from "../clean-text.ts";
import type { Extraction } from "../extract/extraction.ts";
import { htmlToText } from "../extract/html-text.ts";
import { readMsg } from "./msg-message.ts";

/** The text of an MSG file as of an attached message, and the message itself for the mail importer. */
export function extractMsg(bytes: Uint8Array): Extraction {
  const message = readMsg(bytes);
  const { subject, from, text, html } = message;
  const page = text === undefined && html !== undefined ? htmlToText(html) : undefined;
  const head = [subject, from?.name, from?.address].filter((line) => line !== undefined && line !== "");
  const whole = `${head.join("\n")}\n\n${text ?? page?.text ?? ""}`;
  return {
    kind: "text",
    text: cleanText(whole).replaceAll("\r\n", "\n").trim(),
    ...(subject === undefined ? {} : { title: cleanText(subject) }),
    ...(page?.hidden === undefined ? {} : { hidden: page.hidden }),
    message,
  };
}
