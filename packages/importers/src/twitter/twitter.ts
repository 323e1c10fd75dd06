import { type FileKind, findKindExports, type KindFile, readKinds } from "../export/file-kinds.ts";
import type { Importer } from "../importer.ts";
import { prepareTwitter, type TwitterContext } from "./context.ts";
import { directMessages } from "./direct-messages.ts";
import { twitterManifest } from "./manifest.ts";
import { accounts, likes, notes, posts } from "./posts.ts";

const LABEL = "X (Twitter) archive";
const kinds: readonly FileKind<TwitterContext>[] = [accounts, posts, notes, likes, directMessages];

/** Reads the archive of X: posts, long posts, likes and direct messages. */
export const twitter: Importer = {
  id: "twitter",
  label: LABEL,
  get manifest() {
    return twitterManifest();
  },
  recognition: {
    kind: "export",
    find: (files) => findKindExports(files, { label: LABEL, kinds }, { findRoot, createCompanionTest }),
  },
  read: (source) => readKinds(source, { label: LABEL, kinds, prepare: prepareTwitter }),
};

/** The lists are in the folder `data` of an archive. */
function findRoot(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1).replace(/(^|\/)data\/$/, "$1");
}

/** The rest of the archive: other lists, pictures, and the page that shows it. */
function createCompanionTest(
  root: string,
  own: readonly KindFile<TwitterContext>[],
): (path: string) => boolean {
  const isArchive = own.some(({ file }) => file.path.startsWith(`${root}data/`));
  return (path) => isArchive && /^(?:data|assets)\/|^Your archive\.html$/.test(path.slice(root.length));
}
