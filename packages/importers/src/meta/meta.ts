import { posix } from "node:path";
import { type FileKind, findKinds, readKinds } from "../export/file-kinds.ts";
import type { Files } from "../files/files.ts";
import { listEntries } from "../files/probe.ts";
import type { FoundExport, Importer, ImportSource } from "../importer.ts";
import { comments } from "./comments.ts";
import type { MetaContext } from "./context.ts";
import { metaManifest } from "./manifest.ts";
import { encryptedThreads, threads } from "./messages.ts";
import { facebookPosts, instagramPosts, reels, stories } from "./posts.ts";

const kinds: readonly FileKind<MetaContext>[] = [
  threads,
  encryptedThreads,
  instagramPosts,
  facebookPosts,
  reels,
  stories,
  ...comments,
];

const LABEL = "download of Facebook, Messenger or Instagram";

/** Reads the JSON downloads of Facebook, Messenger (encrypted chats too) and Instagram: messages, posts and comments. */
export const meta: Importer = {
  id: "meta",
  label: LABEL,
  get manifest() {
    return metaManifest();
  },
  recognition: { kind: "export", find },
  read: (source) => readKinds(source, { label: LABEL, kinds, prepare: async () => createContext(source) }),
};

function createContext(source: ImportSource): MetaContext {
  return { source, threads: new Map(), reported: new Set(), recent: { sent_at: "", keys: new Set() } };
}

/** The folders of a download, in its older and newer layouts: the root is above the first of them. */
const FOLDERS =
  /(?:^|\/)(?:messages|posts|comments|comments_and_reactions|content|media|photos_and_videos|stories|groups|your_activity_across_facebook|your_facebook_activity|your_instagram_activity)\//;

async function find(files: Files): Promise<FoundExport[]> {
  const entries = await listEntries(files);
  const found = await findKinds(entries, kinds);
  const byRoot = Map.groupBy(found, ({ file }) => findRoot(file.path));
  return [...byRoot].map(([root, own]) => {
    const taken = new Set(own.map(({ file }) => file.path));
    const paths = entries
      .map(({ path }) => path)
      .filter((path) => isCompanion(path, root) && !taken.has(path));
    const reason = `its JSON has the members of a ${LABEL}`;
    return { root, confidence: "signature", reason, paths: [...taken, ...paths] };
  });
}

function findRoot(path: string): string {
  const at = FOLDERS.exec(path);
  if (!at) return path.slice(0, path.lastIndexOf("/") + 1);
  return path.slice(0, at.index + (at[0].startsWith("/") ? 1 : 0));
}

/** What messages and posts refer to: pictures, videos, voice messages and files of any kind in the folders of threads. */
function isCompanion(path: string, root: string): boolean {
  if (!path.startsWith(root)) return false;
  const inside = path.slice(root.length);
  const folders = posix.dirname(inside).split("/");
  const isThread = /(?:^|\/)(?:inbox|archived_threads|filtered_threads|message_requests|e2ee_cutover)\//.test(
    inside,
  );
  const isMedia = /^(?:photos|videos|audio|files|gifs|media|stickers_used|reels|stories)$/.test(
    folders.at(-1) ?? "",
  );
  return isThread || isMedia || /^(?:media|photos_and_videos)\//.test(inside) || /^.*\/media\//.test(inside);
}
