import { type JsonObject, listOf, objectOf, objectsOf, textOf, textsOf } from "../json/values.ts";

/** All that a message says: its text, and in words what it shows instead of text. */
export function renderTelegramMessage(message: JsonObject): string {
  const parts = [renderText(message), renderService(message), ...renderShown(message)];
  return parts.filter((part) => part !== undefined && part !== "").join("\n");
}

/** Text is a string, or a list of strings and of pieces that have a form; either way the pieces are one text. */
function renderText({ text, text_entities }: JsonObject): string {
  if (typeof text === "string" && text !== "") return text;
  const pieces = listOf(text).length > 0 ? listOf(text) : listOf(text_entities);
  return pieces.map((piece) => (typeof piece === "string" ? piece : renderPiece(objectOf(piece)))).join("");
}

function renderPiece({ type, text, href }: JsonObject): string {
  const shown = textOf(text) ?? "";
  return type === "text_link" && textOf(href) ? `${shown} (${href})` : shown;
}

/** `invite_members: Bob, Eve`. */
function renderService({ type, action, title, members }: JsonObject): string | undefined {
  if (type !== "service") return undefined;
  const details = [textOf(title), textOf(textsOf(members).join(", "))].filter(Boolean).join(", ");
  const words = textOf(action)?.replaceAll("_", " ");
  return [words, textOf(details)].filter(Boolean).join(": ");
}

function renderShown(message: JsonObject): (string | undefined)[] {
  const contact = objectOf(message.contact_information);
  const song = message.type === "service" ? [] : [message.performer, message.title];
  return [
    ...renderPoll(objectOf(message.poll)),
    joinTexts([contact.first_name, contact.last_name, contact.phone_number], " "),
    joinTexts([message.place_name, message.address], ", "),
    joinTexts(song, " – "),
    textOf(message.game_title),
    textOf(message.sticker_emoji),
  ];
}

function renderPoll({ question, answers }: JsonObject): (string | undefined)[] {
  return [textOf(question), ...objectsOf(answers).map(({ text }) => joinTexts(["•", text], " "))];
}

function joinTexts(values: readonly unknown[], between: string): string | undefined {
  return textOf(values.flatMap((value) => textOf(value) ?? []).join(between));
}
