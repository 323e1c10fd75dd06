import type { SourceChange, SourceTask } from "./live-source.ts";

/** Removes what a collection had: a folder that was deleted, renamed, numbered anew or left out. */
export async function* dropCollection(task: SourceTask, collection: string): AsyncGenerator<SourceChange> {
  for await (const { item } of task.listItems(collection)) yield { kind: "remove", collection, item };
  yield { kind: "cursor", collection, cursor: null };
}
