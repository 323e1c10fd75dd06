import { isObject, type JsonObject, listOf, objectOf, objectsOf, textOf } from "../json/values.ts";

/** The text of a message's content, whatever its type: all that a person could have read or heard. */
export function renderContent(content: JsonObject): string {
  const members = MEMBERS.get(textOf(content.content_type) ?? "") ?? OTHER_MEMBERS;
  const texts = [
    ...members.map((name) => textOf(content[name])),
    ...listOf(content.parts).map(renderPart),
    ...objectsOf(content.thoughts).flatMap(({ summary, content }) => [textOf(summary), textOf(content)]),
  ];
  return texts.filter((text) => text !== undefined && text !== "").join("\n");
}

/** Which members of a content hold its text, for the types that have no parts. */
const MEMBERS = new Map<string, readonly string[]>([
  ["text", []],
  ["multimodal_text", []],
  ["thoughts", []],
  ["tether_quote", ["title", "url", "text"]],
  ["sonic_webpage", ["title", "url", "text"]],
  ["tether_browsing_display", ["result", "summary"]],
  ["user_editable_context", ["user_profile", "user_instructions"]],
  ["model_editable_context", ["model_set_context"]],
]);

const OTHER_MEMBERS = ["title", "name", "text", "result", "content", "summary"];

/** A part is text, or an object of many kinds: a voice's transcription has text, a made image its prompt. */
function renderPart(part: unknown): string | undefined {
  if (!isObject(part)) return textOf(part);
  const prompt = textOf(objectOf(objectOf(part.metadata).dalle).prompt);
  return textOf(part.text) ?? prompt;
}

/** The sources that a message names, each address once. */
export function listCitations(metadata: JsonObject): object[] {
  const named = [
    ...objectsOf(metadata.citations).map(({ metadata }) => objectOf(metadata)),
    ...objectsOf(objectOf(metadata._cite_metadata).metadata_list),
    ...objectsOf(metadata.content_references).flatMap((one) => [one, ...objectsOf(listOf(one.items))]),
  ];
  const byAddress = new Map<string, object>();
  for (const { title, url, text, snippet } of named) {
    const address = textOf(url);
    if (address === undefined || byAddress.has(address)) continue;
    byAddress.set(address, { title: textOf(title), url: address, text: textOf(text) ?? textOf(snippet) });
  }
  return [...byAddress.values()];
}
