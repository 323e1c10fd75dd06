/** The parts of a zipped document that is held in memory. */
import { posix } from "node:path";
import { readXml, type XmlEvents } from "../xml/xml-events.ts";

/** Parts by their path. */
export type Parts = ReadonlyMap<string, Uint8Array>;

/** Parses a part; one that is missing is empty. */
export async function readPartXml(parts: Parts, path: string, events: XmlEvents): Promise<void> {
  const bytes = parts.get(path);
  if (bytes) await readXml(once(bytes), events);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The relationships of a part (ECMA-376 part 2, §6.5): their type and target by id. */
export async function readRelations(
  parts: Parts,
  path: string,
): Promise<ReadonlyMap<string, { readonly type: string; readonly path: string }>> {
  const folder = posix.dirname(path);
  const relations = new Map<string, { type: string; path: string }>();
  await readPartXml(parts, `${folder}/_rels/${posix.basename(path)}.rels`, {
    open(name, { Id = "", Type = "", Target = "", TargetMode }) {
      if (name !== "Relationship" || TargetMode === "External") return;
      const target = Target.startsWith("/") ? Target.slice(1) : posix.join(folder, Target);
      relations.set(Id, { type: Type.slice(Type.lastIndexOf("/") + 1), path: target });
    },
  });
  return relations;
}
