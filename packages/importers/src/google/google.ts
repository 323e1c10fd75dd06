import { posix } from "node:path";
import { type FileKind, findKindExports, type KindFile, readKinds } from "../export/file-kinds.ts";
import type { Importer } from "../importer.ts";
import { activityLists, activityPages } from "./activity.ts";
import { chatGroups, chatMessages, chatUsers, readChats } from "./chat.ts";
import type { GoogleContext } from "./context.ts";
import { keepNotes } from "./keep.ts";
import { googleManifest } from "./manifest.ts";
import { photos } from "./photos.ts";
import { places } from "./places.ts";
import { taskLists } from "./tasks.ts";

/** By content, because the names of folders and files depend on the account's language. */
const kinds: readonly FileKind<GoogleContext>[] = [
  chatGroups,
  chatMessages,
  chatUsers,
  keepNotes,
  activityLists,
  activityPages,
  taskLists,
  places,
  photos,
];

const LABEL = "Google Takeout";

/** Reads Google Takeout: Keep, Chat, My Activity, YouTube history, Tasks, places of Maps, descriptions of photos. */
export const google: Importer = {
  id: "google",
  label: LABEL,
  get manifest() {
    return googleManifest();
  },
  recognition: {
    kind: "export",
    find: (files) => findKindExports(files, { label: LABEL, kinds }, { findRoot, createCompanionTest }),
  },
  read: (source) =>
    readKinds(source, {
      label: LABEL,
      kinds,
      prepare: async (_, found) => ({ source, chats: await readChats(found), taken: new Set<string>() }),
    }),
};

/** The folder `Takeout`, which has this name in every language; else everything that was opened. */
function findRoot(path: string): string {
  return /^(?:.*\/)?Takeout\//.exec(path)?.[0] ?? "";
}

const MEDIA =
  /\.(?:jpe?g|png|gif|webp|heic|heif|bmp|tiff?|dng|raw|svg|mp4|m4v|mov|3gpp?|avi|mkv|webm|mpe?g|amr|aac|m4a|mp3|oga|ogg|opus|wav|flac|caf)$/i;

/** Pictures beside notes, activities and photos, notes as HTML, files in the folder of a chat, and the overview. */
function createCompanionTest(
  root: string,
  own: readonly KindFile<GoogleContext>[],
): (path: string) => boolean {
  const folders = new Map<string, Set<FileKind<GoogleContext>>>();
  const taken = new Set(own.map(({ file }) => file.path));
  for (const { file, kind } of own) {
    const folder = posix.dirname(file.path);
    folders.set(folder, (folders.get(folder) ?? new Set()).add(kind));
  }
  return (path) => {
    const inside = folders.get(posix.dirname(path));
    if (path === `${root}archive_browser.html`) return true;
    if (!inside) return false;
    if (inside.has(chatMessages) && inside.has(chatGroups)) return true;
    const isOfNote = path.endsWith("/Labels.txt") || taken.has(path.replace(/\.html$/i, ".json"));
    if (inside.has(keepNotes) && isOfNote) return true;
    const withMedia = [keepNotes, activityLists, activityPages, photos];
    return MEDIA.test(path) && withMedia.some((kind) => inside.has(kind));
  };
}
