import { type FileKind, findKindExports, type KindFile, readKinds } from "../export/file-kinds.ts";
import type { Importer, ImportSource } from "../importer.ts";
import { linkedinManifest } from "./manifest.ts";
import { messages } from "./messages.ts";
import { connectionTable, invitationTable } from "./people.ts";
import { commentTable, profileTables, shareTable, WEAK_TABLE } from "./profile.ts";
import { type LinkedInContext, readCells } from "./tables.ts";

const LABEL = "LinkedIn data export";
const kinds: readonly FileKind<LinkedInContext>[] = [
  messages,
  connectionTable,
  invitationTable,
  shareTable,
  commentTable,
  ...profileTables,
];

/** Reads the data export of LinkedIn: messages, connections, posts and the profile. Its other tables are plain tables. */
export const linkedin: Importer = {
  id: "linkedin",
  label: LABEL,
  get manifest() {
    return linkedinManifest();
  },
  recognition: {
    kind: "export",
    async find(files) {
      const places = { findRoot, createCompanionTest: () => () => false };
      const found = await findKindExports(files, { label: LABEL, kinds }, places);
      return found.filter(({ paths }) => paths.some((path) => !WEAK_TABLE.test(path)));
    },
  },
  read: (source) => readKinds(source, { label: LABEL, kinds, prepare }),
};

function findRoot(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

async function prepare(
  source: ImportSource,
  found: readonly KindFile<LinkedInContext>[],
): Promise<LinkedInContext> {
  const context = { source, owner: undefined, reported: new Set<string>(), keys: new Set<string>() };
  for (const { file, kind } of found) {
    if (kind.noun !== "profile" || !kind.split) continue;
    for await (const element of kind.split(file, 0, context)) {
      if (element.kind === "rejected") continue;
      const cell = readCells(element);
      const owner = [cell("First Name"), cell("Last Name")].filter((part) => part !== undefined).join(" ");
      return { ...context, owner: owner === "" ? undefined : owner };
    }
  }
  return context;
}
