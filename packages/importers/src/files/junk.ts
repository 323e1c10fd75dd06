/** Files that systems leave behind; nobody means to import them. */
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

/** Whether one name of a path is a system's own litter: `.DS_Store`, `__MACOSX`, `._photo.jpg`. */
export function isJunk(name: string): boolean {
  return JUNK.has(name.toLowerCase()) || name.startsWith("._");
}
