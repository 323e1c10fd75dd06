import type { ImportedItem } from "@rungs/contract";
import { flagOf, type JsonObject, objectOf, objectsOf, textOf, timeOf } from "../json/values.ts";
import { keyOf, recordItem } from "../record-item.ts";

/** The records of a project: itself, and its documents. */
export function* readProject(value: JsonObject, place: string): Generator<ImportedItem> {
  const id = textOf(value.uuid);
  if (id === undefined) {
    yield { kind: "rejected", place, reason: "It is no project: it has no uuid." };
    return;
  }
  const documents = objectsOf(value.docs);
  const title = textOf(value.name);
  yield recordItem("projects", place, {
    id: keyOf(id),
    title,
    description: textOf(value.description),
    instructions: textOf(value.prompt_template),
    creator: textOf(objectOf(value.creator).full_name),
    created_at: timeOf(value.created_at),
    updated_at: timeOf(value.updated_at),
    is_private: flagOf(value.is_private),
    document_count: documents.length,
  });
  for (const [at, document] of documents.entries()) {
    const uuid = textOf(document.uuid);
    yield recordItem("documents", `${place}, document ${at + 1}`, {
      id: keyOf(...(uuid === undefined ? [id, String(at + 1)] : [uuid])),
      project_id: keyOf(id),
      project: title,
      title: textOf(document.filename),
      text: textOf(document.content),
      created_at: timeOf(document.created_at),
    });
  }
}

/** What the service remembers about its user: in general, and for each project. */
export function* readMemories(value: JsonObject, place: string): Generator<ImportedItem> {
  const account = textOf(value.account_uuid) ?? "account";
  const general = textOf(value.conversations_memory);
  if (general !== undefined) yield recordItem("memories", place, { id: keyOf(account), text: general });
  for (const [project_id, text] of Object.entries(objectOf(value.project_memories))) {
    yield recordItem("memories", place, { id: keyOf(account, project_id), project_id, text: textOf(text) });
  }
}
