import { statSync } from "node:fs";
import { platform } from "node:os";
import type { DatabasePlace } from "../home/database.ts";
import { type Finding, fine, wrong } from "./finding.ts";

const OTHERS = 0o077;

/** Looks whether anybody but its owner can read the data: the home keeps them out, else the file must. */
export function checkAccess(place: DatabasePlace): Finding[] {
  if (place.kind === "postgres" || platform() === "win32") return [];
  const guarded = place.home ?? place.file;
  const [name, mode] = place.home === undefined ? ["file", "600"] : ["home", "700"];
  const isOpen = (statSync(guarded).mode & OTHERS) !== 0;
  return [
    isOpen
      ? wrong(name, `others on this machine can read ${guarded}`, `Run chmod ${mode} ${guarded}`)
      : fine(name, `${guarded} is its owner's alone`),
  ];
}
