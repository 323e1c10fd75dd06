import type { SourceChange, SourceTask } from "./live-source.ts";

/** Removes the items of a collection, such as a folder that was deleted, renamed, renumbered or left out. */
export async function* dropCollection(task: SourceTask, collection: string): AsyncGenerator<SourceChange> {
  for await (const { item } of task.listItems(collection)) yield { kind: "remove", collection, item };
  yield { kind: "cursor", collection, cursor: null };
}
