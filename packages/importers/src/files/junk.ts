/** Files that operating systems and version control leave behind. */
const JUNK = new Set([
  ".ds_store",
  ".appledouble",
  ".spotlight-v100",
  ".fseventsd",
  ".trashes",
  ".git",
  ".hg",
  ".svn",
  "__macosx",
  "desktop.ini",
  "thumbs.db",
]);

/** Whether a path segment is such a file or folder: `.DS_Store`, `__MACOSX`, `._photo.jpg`. */
export function isJunk(name: string): boolean {
  return JUNK.has(name.toLowerCase()) || name.startsWith("._");
}
