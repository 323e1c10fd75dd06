import { asList, asObject, asObjects, asText, type ExportedObject, isObject } from "../json/values.ts";

/** The text of a message's content of any type: all that a person could read or hear. */
export function renderContent(content: ExportedObject): string {
  const members = MEMBERS.get(asText(content.content_type) ?? "") ?? OTHER_MEMBERS;
  const texts = [
    ...members.map((name) => asText(content[name])),
    ...asList(content.parts).map(renderPart),
    ...asObjects(content.thoughts).flatMap(({ summary, content }) => [asText(summary), asText(content)]),
  ];
  return texts.filter((text) => text !== undefined && text !== "").join("\n");
}

/** The members that hold the text, for content types without parts. */
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

/** A part is text, or an object of many kinds: a transcription has text, a generated image its prompt. */
function renderPart(part: unknown): string | undefined {
  if (!isObject(part)) return asText(part);
  const prompt = asText(asObject(asObject(part.metadata).dalle).prompt);
  return asText(part.text) ?? prompt;
}

/** The sources that a message cites, each address once. */
export function listCitations(metadata: ExportedObject): object[] {
  const named = [
    ...asObjects(metadata.citations).map(({ metadata }) => asObject(metadata)),
    ...asObjects(asObject(metadata._cite_metadata).metadata_list),
    ...asObjects(metadata.content_references).flatMap((one) => [one, ...asObjects(asList(one.items))]),
  ];
  const byAddress = new Map<string, object>();
  for (const { title, url, text, snippet } of named) {
    const address = asText(url);
    if (address === undefined || byAddress.has(address)) continue;
    byAddress.set(address, { title: asText(title), url: address, text: asText(text) ?? asText(snippet) });
  }
  return [...byAddress.values()];
}
