import type { ImportedItem } from "@rungs/contract";
import type { FileKind } from "../export/file-kinds.ts";
import { asFlag, asId, asObject, asObjects, asText, asTime } from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import type { GoogleContext } from "./context.ts";

/** Lists of tasks, with their tasks. */
export const taskLists: FileKind<GoogleContext> = {
  noun: "list",
  path: /\.json$/i,
  isOwn: (head) => /"kind"\s*:\s*"tasks#(?:taskLists|tasks|task)"/.test(head),
  list: "items",
  *read({ value, place }): Generator<ImportedItem> {
    const list = asObject(value);
    const name = asText(list.title);
    for (const [at, task] of asObjects(list.items).entries()) {
      const id = asId(task.id);
      const taskPlace = `${place}, task ${at + 1}`;
      if (id === undefined) {
        yield { kind: "rejected", place: taskPlace, reason: "Not a task: it has no id." };
        continue;
      }
      const parent = asId(task.parent);
      yield toRecordItem("tasks", taskPlace, {
        id: joinKey("task", id),
        title: asText(task.title),
        list: name,
        notes: asText(task.notes),
        status: asText(task.status),
        due_at: asTime(task.due) ?? asTime(asObject(asObjects(task.scheduled_time)[0]).start),
        completed_at: asTime(task.completed),
        created_at: asTime(task.created),
        updated_at: asTime(task.updated) ?? asTime(list.updated),
        parent_id: parent === undefined ? undefined : joinKey("task", parent),
        links: asObjects(task.links).flatMap(({ link }) => asText(link) ?? []),
        is_deleted: asFlag(task.deleted),
      });
    }
  },
};
