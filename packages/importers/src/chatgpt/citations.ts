import { type JsonObject, listOf, objectOf, objectsOf, textOf } from "../json/values.ts";

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
