/**
 * The base images of the Dockerfile: pulled, or built from Debian's packages and this Node if no registry is reachable.
 */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** Runs buildah in a store of this run; returns what it prints. */
export type Buildah = (...args: string[]) => string;

/** Substitutes for base images: at least as large as the originals, since packages bring their dependencies. */
interface StandIn {
  readonly packages: readonly string[];
  readonly node: string;
  readonly has_npm?: boolean;
  readonly lines: readonly string[];
}

const SUITE = "trixie";
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

const STAND_INS: Readonly<Record<string, StandIn>> = {
  "docker.io/library/node:24-trixie-slim": {
    packages: ["base-files", "ca-certificates", "coreutils", "dash", "libc6", "libstdc++6"],
    node: "usr/local/bin/node",
    has_npm: true,
    lines: [`ENV HOME=/root NODE_EXTRA_CA_CERTS=${CERTIFICATES}`],
  },
  "gcr.io/distroless/nodejs24-debian13:nonroot": {
    packages: [
      ...["base-files", "ca-certificates", "libc6", "libgcc-s1", "libgomp1", "libssl3t64", "libstdc++6"],
      ...["media-types", "netbase", "tzdata"],
    ],
    node: "nodejs/bin/node",
    lines: ["USER 65532", "WORKDIR /home/nonroot"],
  },
};

/** Provides the images that a Dockerfile builds on; returns how, for a reader. */
export function provideBases(dockerfile: string, buildah: Buildah, folder: string): string {
  const names = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, name = ""]) => name);
  const made = names.filter((name) => !pull(name, buildah));
  for (const name of made) makeStandIn(name, buildah, join(folder, `base-${made.indexOf(name)}`));
  const how = (list: readonly string[]) => list.map((name) => `\`${name}\``).join(" and ");
  const pulled = names.filter((name) => !made.includes(name));
  return [
    ...(pulled.length === 0 ? [] : [`${how(pulled)}: pulled`]),
    ...(made.length === 0
      ? []
      : [
          `${how(made)}: no registry in reach, so made from packages of Debian ${SUITE} and Node ${process.versions.node}`,
        ]),
  ].join("; ");
}

function pull(name: string, buildah: Buildah): boolean {
  try {
    buildah("pull", "--quiet", name);
    return true;
  } catch {
    return false;
  }
}

function makeStandIn(short: string, buildah: Buildah, folder: string): void {
  const name = short.includes("/") ? short : `docker.io/library/${short}`;
  const base = STAND_INS[name];
  if (!base) throw new Error(`${short} cannot be pulled, and nothing stands in for it.`);
  const root = join(folder, "root");
  mkdirSync(root, { recursive: true });
  const include = `--include=${base.packages.join(",")}`;
  execFileSync("mmdebstrap", ["--quiet", "--variant=extract", include, SUITE, root]);
  mkdirSync(join(root, dirname(base.node)), { recursive: true });
  copyFileSync(process.execPath, join(root, base.node));
  if (base.has_npm) addNpm(root);
  writeFileSync(join(folder, "Dockerfile"), ["FROM scratch", "COPY root /", ...base.lines, ""].join("\n"));
  buildah("build", "--quiet", "--isolation", "chroot", "--tag", name, folder);
}

/** The npm of this machine, and the certificates that it trusts. */
function addNpm(root: string): void {
  const program = realpathSync(execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim());
  cpSync(dirname(dirname(program)), join(root, "usr/local/lib/node_modules/npm"), { recursive: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(root, "usr/local/bin/npm"));
  if (!existsSync(CERTIFICATES)) return;
  mkdirSync(join(root, dirname(CERTIFICATES)), { recursive: true });
  copyFileSync(CERTIFICATES, join(root, CERTIFICATES));
}
