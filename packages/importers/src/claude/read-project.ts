import type { ImportedItem } from "@rungs/contract";
import { asFlag, asObject, asObjects, asText, asTime, type ExportedObject } from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";

/** The records of a project: the project and its documents. */
export function* readProject(value: ExportedObject, place: string): Generator<ImportedItem> {
  const id = asText(value.uuid);
  if (id === undefined) {
    yield { kind: "rejected", place, reason: "Not a project: it has no uuid." };
    return;
  }
  const documents = asObjects(value.docs);
  const title = asText(value.name);
  yield toRecordItem("projects", place, {
    id: joinKey(id),
    title,
    description: asText(value.description),
    instructions: asText(value.prompt_template),
    creator: asText(asObject(value.creator).full_name),
    created_at: asTime(value.created_at),
    updated_at: asTime(value.updated_at),
    is_private: asFlag(value.is_private),
    document_count: documents.length,
  });
  for (const [at, document] of documents.entries()) {
    const uuid = asText(document.uuid);
    yield toRecordItem("documents", `${place}, document ${at + 1}`, {
      id: joinKey(...(uuid === undefined ? [id, String(at + 1)] : [uuid])),
      project_id: joinKey(id),
      project: title,
      title: asText(document.filename),
      text: asText(document.content),
      created_at: asTime(document.created_at),
    });
  }
}

/** What the service remembers about its user: in general, and for each project. */
export function* readMemories(value: ExportedObject, place: string): Generator<ImportedItem> {
  const account = asText(value.account_uuid) ?? "account";
  const general = asText(value.conversations_memory);
  if (general !== undefined) yield toRecordItem("memories", place, { id: joinKey(account), text: general });
  for (const [project_id, text] of Object.entries(asObject(value.project_memories))) {
    yield toRecordItem("memories", place, {
      id: joinKey(account, project_id),
      project_id,
      text: asText(text),
    });
  }
}
