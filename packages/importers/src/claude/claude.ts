import type { ImportedItem } from "@rungs/contract";
import type { Importer, ImportSource } from "../importer.ts";
import { type JsonFormat, recogniseJson, requireJsonFiles } from "../json/json-format.ts";
import { readElements } from "../json/read-elements.ts";
import { type ExportedObject, isObject } from "../json/values.ts";
import { withCheckpoint } from "../record-item.ts";
import { claudeManifest } from "./manifest.ts";
import { readConversation } from "./read-conversation.ts";
import { readMemories, readProject } from "./read-project.ts";

const claudeFiles: JsonFormat = {
  label: "Claude export",
  names: /^(?:conversations|projects|memories|projects\/[^/]+)\.json$/,
  companions: /^users\.json$/,
  isOwn: (head) =>
    /^\s*[[{]/.test(head) && /"(?:chat_messages|prompt_template|conversations_memory)"\s*:/.test(head),
};

/** Reads Claude's export: `conversations.json`, `projects.json` or a file for each project, and `memories.json`. */
export const claude: Importer = {
  id: "claude",
  label: claudeFiles.label,
  get manifest() {
    return claudeManifest();
  },
  recognition: recogniseJson(claudeFiles),
  read,
};

async function* read(source: ImportSource): AsyncGenerator<ImportedItem> {
  const files = await requireJsonFiles(source.files, claudeFiles);
  const unknown = new Map<string, number>();
  const noteUnknown = (type: string) => unknown.set(type, (unknown.get(type) ?? 0) + 1);
  for await (const element of readElements(files, { noun: "entry", resume: source.resume })) {
    if (element.kind === "rejected") yield element;
    else yield* withCheckpoint(readEntry(element.value, element.place, noteUnknown), element.checkpoint);
  }
  for (const [type, count] of unknown) {
    source.note(`Blocks of the unknown type ${type}: ${count}. Their text was kept as text of the message.`);
  }
}

/** Entries are recognized by a member, so that a file may have any name. */
const readers: readonly (readonly [
  string,
  (value: ExportedObject, place: string, noteUnknown: (type: string) => void) => Iterable<ImportedItem>,
])[] = [
  ["chat_messages", readConversation],
  ["prompt_template", readProject],
  ["docs", readProject],
  ["conversations_memory", readMemories],
  ["project_memories", readMemories],
];

function* readEntry(
  value: unknown,
  place: string,
  noteUnknown: (type: string) => void,
): Generator<ImportedItem> {
  const reader = isObject(value) ? readers.find(([member]) => Object.hasOwn(value, member))?.[1] : undefined;
  if (reader) yield* reader(value as ExportedObject, place, noteUnknown);
  else yield { kind: "rejected", place, reason: "It is neither a conversation, a project nor a memory." };
}
