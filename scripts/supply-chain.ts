/** `npm run supply-chain`: lists third-party packages, their size, and their install scripts. */
import { type LockedPackage, readLock } from "./supply-chain-lock.ts";

const packages = readLock();
const running = packages.filter(({ dev }) => !dev);
const unpinned = packages.filter(({ integrity }) => integrity === undefined);
const scripts = packages.filter(({ runs_at_install }) => runs_at_install);

console.log(
  `${running.length} packages run with the program, ${packages.length} in all with those that build and test it.`,
);
console.log(`Licences of those that run: ${countLicenses(running)}.`);
console.log(`Run a script while they are installed: ${list(scripts)}.`);
console.log(`Without a digest in the lock file (${unpinned.length}): ${list(unpinned)}.`);

function countLicenses(among: readonly LockedPackage[]): string {
  const counts = Object.entries(Object.groupBy(among, ({ license }) => license ?? "none"));
  return counts
    .map(([license, all = []]) => `${license} ${all.length}`)
    .sort()
    .join(", ");
}

function list(among: readonly LockedPackage[]): string {
  return among.map(({ name }) => name).join(", ") || "none";
}
