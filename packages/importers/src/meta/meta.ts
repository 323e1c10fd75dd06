import { posix } from "node:path";
import { type FileKind, findKindExports, readKinds } from "../export/file-kinds.ts";
import type { Importer, ImportSource } from "../importer.ts";
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
  recognition: {
    kind: "export",
    find: (files) => findKindExports(files, { label: LABEL, kinds }, { findRoot, createCompanionTest }),
  },
  read: (source) => readKinds(source, { label: LABEL, kinds, prepare: async () => createContext(source) }),
};

function createContext(source: ImportSource): MetaContext {
  return { source, threads: new Map(), reported: new Set(), recent: { sent_at: "", keys: new Set() } };
}

/** The folders of a download, in its older and newer layouts: the root is above the first of them. */
const FOLDERS =
  /(?:^|\/)(?:messages|posts|comments|comments_and_reactions|content|media|photos_and_videos|stories|groups|your_activity_across_facebook|your_facebook_activity|your_instagram_activity)\//;

function findRoot(path: string): string {
  const at = FOLDERS.exec(path);
  if (!at) return path.slice(0, path.lastIndexOf("/") + 1);
  return path.slice(0, at.index + (at[0].startsWith("/") ? 1 : 0));
}

/** What messages and posts refer to: pictures, videos, voice messages and files of any kind in the folders of threads. */
function createCompanionTest(root: string): (path: string) => boolean {
  return (path) => {
    const inside = path.slice(root.length);
    const folder = posix.basename(posix.dirname(inside));
    return THREAD.test(inside) || MEDIA.test(folder) || /(?:^|\/)(?:media|photos_and_videos)\//.test(inside);
  };
}

const THREAD = /(?:^|\/)(?:inbox|archived_threads|filtered_threads|message_requests|e2ee_cutover)\//;
const MEDIA = /^(?:photos|videos|audio|files|gifs|media|stickers_used|reels|stories)$/;
