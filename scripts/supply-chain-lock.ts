/** Reads the third-party packages of the lock file. */
import { readFileSync } from "node:fs";
import { z } from "zod";

const entrySchema = z.looseObject({
  version: z.string().optional(),
  integrity: z.string().optional(),
  license: z.string().optional(),
  link: z.boolean().optional(),
  dev: z.boolean().optional(),
  optional: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  os: z.array(z.string()).optional(),
  cpu: z.array(z.string()).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
});
const lockSchema = z.looseObject({
  lockfileVersion: z.literal(3),
  packages: z.record(z.string(), entrySchema),
});

/** A package as it is installed. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** Relative to the repository: a package may be installed in two versions. */
  readonly path: string;
  readonly integrity: string | undefined;
  readonly license: string | undefined;
  /** Whether it is needed only to build or test. */
  readonly dev: boolean;
  /** Whether npm installs it on some machines only. */
  readonly for_some_machines: boolean;
  readonly runs_at_install: boolean;
}

const INSTALLED = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/;

/** Every third-party package, in path order. */
export function readLock(file = new URL("../package-lock.json", import.meta.url)): LockedPackage[] {
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  return Object.entries(packages).flatMap(([path, entry]) => {
    const name = INSTALLED.exec(path)?.[1];
    return name === undefined || entry.link === true ? [] : [describe(name, path, entry)];
  });
}

function describe(name: string, path: string, entry: z.infer<typeof entrySchema>): LockedPackage {
  const { version = "", integrity, license, dev = false, optional = false, os, cpu } = entry;
  return {
    name,
    version,
    path,
    integrity,
    license,
    dev,
    for_some_machines: optional && (os !== undefined || cpu !== undefined),
    runs_at_install: entry.hasInstallScript === true,
  };
}
