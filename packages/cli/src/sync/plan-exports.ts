import { relative, sep } from "node:path";
import { type FileEntry, type FileGroup, importers, selectFiles, sortFiles } from "@rungs/importers";
import type { OwnerContext } from "@rungs/server";
import type { PlanExports, PlannedExport } from "@rungs/sources";
import { type ImportPlan, planFound } from "../import/plan.ts";
import { runRecorded } from "../import/recorded-run.ts";

/** Finds the exports in a watched folder, and imports them as `rungs import` does. */
export function createExportPlanner(owner: OwnerContext): PlanExports {
  return async (files, path) => {
    const { groups, close } = await sortFiles(files, importers);
    try {
      const plans: ImportPlan[] = [];
      for (const group of groups)
        for (const found of await splitGroup(group)) plans.push(await planFound(path, found, plans));
      const exports: PlannedExport[] = [];
      for (const plan of plans) exports.push(await toExport(plan, owner, path));
      return { exports, close };
    } catch (error) {
      await close();
      throw error;
    }
  };
}

/** Files that hold one message each. */
const ONE_MESSAGE = /\.(?:eml|emlx|msg)$|(?:^|\/)(?:cur|new)\/[^/]+$/i;

/**
 * Each file in the folder is a separate export, except that single messages of one folder form one: a new file must not
 * change the connection, or the keys, of existing ones.
 */
async function splitGroup(group: FileGroup): Promise<FileGroup[]> {
  const { importer, files, place } = group;
  if (place !== "" || importer.recognition.kind === "export") return [group];
  // The folder's own documents are read by its sync.
  if (importer.id === "documents") return [];
  const entries: FileEntry[] = [];
  for await (const entry of files.list()) entries.push(entry);
  const placeOf = ({ path }: FileEntry) => (ONE_MESSAGE.test(path) ? folderOf(path).slice(0, -1) : path);
  return [...Map.groupBy(entries, placeOf)].map(([at, some]) => {
    const root = folderOf(some.length === 1 ? (some[0]?.path ?? "") : `${at}/`);
    const name = at.split("/").at(-1) || files.name;
    const chosen = selectFiles(files, { name, root: root === "/" ? "" : root, entries: some, refused: [] });
    return { ...group, files: chosen, place: at, file_count: some.length, guesses: [] };
  });
}

/** The folder of a path, with a trailing `/`; empty for the root. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

async function toExport(plan: ImportPlan, owner: OwnerContext, root: string): Promise<PlannedExport> {
  const { connection_id, identity, path } = plan;
  const file_paths: string[] = [];
  for await (const { disk_path } of plan.files.list())
    if (disk_path !== undefined) file_paths.push(relative(root, disk_path).replaceAll(sep, "/"));
  return {
    connection_id,
    path,
    identity,
    file_paths,
    async run(stop) {
      const observer = { note: () => undefined, onItem: () => undefined, onRejected: undefined, stop };
      const { tally, is_finished } = await runRecorded(plan, owner, observer);
      const { added, changed, rejected } = tally;
      return { added, changed, rejected, is_finished };
    },
  };
}
