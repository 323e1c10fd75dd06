import { asList, asObject, asObjects, asText, asTexts, type ExportedObject } from "../json/values.ts";

/** The text of a message, and a description of what it shows instead of text. */
export function renderTelegramMessage(message: ExportedObject): string {
  const parts = [renderText(message), renderService(message), ...renderShown(message)];
  return parts.filter((part) => part !== undefined && part !== "").join("\n");
}

/** Text is a string, or a list of strings and formatted pieces that form one text. */
function renderText({ text, text_entities }: ExportedObject): string {
  if (typeof text === "string" && text !== "") return text;
  const pieces = asList(text).length > 0 ? asList(text) : asList(text_entities);
  return pieces.map((piece) => (typeof piece === "string" ? piece : renderPiece(asObject(piece)))).join("");
}

function renderPiece({ type, text, href }: ExportedObject): string {
  const shown = asText(text) ?? "";
  return type === "text_link" && asText(href) ? `${shown} (${href})` : shown;
}

/** `invite_members: Bob, Eve`. */
function renderService({ type, action, title, members }: ExportedObject): string | undefined {
  if (type !== "service") return undefined;
  const details = [asText(title), asText(asTexts(members).join(", "))].filter(Boolean).join(", ");
  const words = asText(action)?.replaceAll("_", " ");
  return [words, asText(details)].filter(Boolean).join(": ");
}

function renderShown(message: ExportedObject): (string | undefined)[] {
  const contact = asObject(message.contact_information);
  const song = message.type === "service" ? [] : [message.performer, message.title];
  return [
    ...renderPoll(asObject(message.poll)),
    joinTexts([contact.first_name, contact.last_name, contact.phone_number], " "),
    joinTexts([message.place_name, message.address], ", "),
    joinTexts(song, " – "),
    asText(message.game_title),
    asText(message.sticker_emoji),
  ];
}

function renderPoll({ question, answers }: ExportedObject): (string | undefined)[] {
  return [asText(question), ...asObjects(answers).map(({ text }) => joinTexts(["•", text], " "))];
}

function joinTexts(values: readonly unknown[], between: string): string | undefined {
  return asText(values.flatMap((value) => asText(value) ?? []).join(between));
}
