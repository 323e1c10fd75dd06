/**
 * `npm run image`: builds the Dockerfile with buildah, runs the image with a read-only root and without capabilities,
 * runs it again beside PostgreSQL as in compose.yaml, and writes the results to docs/figures.md. Needs Linux and root,
 * but no container engine.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parse } from "yaml";
import { keepFigures } from "../bench/figures.ts";
import { printTable } from "../bench/measure.ts";
import { type Buildah, provideBases } from "./image-bases.ts";
import { type Container, type ContainerPlan, startContainer } from "./image-container.ts";
import { startDatabase } from "./image-database.ts";

const ROOT = join(import.meta.dirname, "..");
const LIMIT_BYTES = 200e6;
const ADDRESS = "http://127.0.0.1:7717";
const NODE = "/nodejs/bin/node";
const PASSWORD = "correct-horse-battery";
/** Programs of Debian; mmdebstrap only where no registry can be reached. */
const PROGRAMS = ["buildah", "mmdebstrap", "unshare", "nsenter", "setpriv", "ip"];

/** The settings of an image that matter here. */
interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
}

requirePrograms();
const folder = mkdtempSync(join(tmpdir(), "rungs-image-"));
// PostgreSQL runs as another user below it.
chmodSync(folder, 0o711);
const store = [
  "--storage-driver",
  "overlay",
  "--root",
  join(folder, "store"),
  "--runroot",
  join(folder, "run"),
];
const buildah: Buildah = (...args) =>
  execFileSync("buildah", [...store, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  }).trim();
try {
  await keepFigures("image", measureImage);
} finally {
  buildah("rm", "--all");
  rmSync(folder, { recursive: true });
}

async function measureImage(): Promise<void> {
  const dockerfile = readFileSync(join(ROOT, "Dockerfile"), "utf8");
  const bases = provideBases(dockerfile, buildah, folder);
  const cache = execFileSync("npm", ["config", "get", "cache"], { encoding: "utf8" }).trim();
  const flags = [
    "--isolation",
    "chroot",
    "--pull=false",
    "--format",
    "docker",
    "--volume",
    `${cache}:/root/.npm`,
  ];
  buildah("build", "--quiet", ...flags, "--tag", "rungs", ROOT);
  const config: ImageConfig = JSON.parse(buildah("inspect", "--type", "image", "rungs")).Docker.config;
  const root = buildah("mount", buildah("from", "--pull-never", "rungs"));
  const size_bytes = Number(execFileSync("du", ["-sb", root], { encoding: "utf8" }).split("\t")[0]);
  assert.ok(size_bytes < LIMIT_BYTES, `The image has ${size_bytes} bytes.`);
  const uid = Number(config.User);
  assert.ok(uid > 0, `The image runs as ${config.User}.`);
  const plan = { root, uid, env: readEnv(config.Env), command: [...config.Entrypoint, ...config.Cmd] };
  printTable(
    "The image, built from the Dockerfile by buildah and run as a container",
    ["check", "found"],
    [
      ["base images", bases],
      ["size, at most 200 MB", `${(size_bytes / 1e6).toFixed(0)} MB`],
      ...(await checkAlone(plan, config)),
      ...(await checkComposed(plan, config)),
    ],
  );
}

type Plan = Pick<ContainerPlan, "root" | "uid" | "env" | "command">;

/** Runs the image with SQLite in /data. */
async function checkAlone(plan: Plan, config: ImageConfig): Promise<string[][]> {
  const container = await startContainer({ ...plan, binds: { "/data": makeData("data", plan.uid) } });
  await untilHealthy(container, config);
  const rights = ["Uid", "CapEff", "NoNewPrivs"].map(container.status);
  assert.deepEqual(rights, [Array(4).fill(plan.uid).join("\t"), "0".repeat(16), "1"]);
  const places = ["/", "/app", "/home/nonroot", "/usr", "/data", "/tmp"];
  const writable = places.filter((place) => canWrite(container, place));
  assert.deepEqual(writable, ["/data", "/tmp"]);
  await signIn(container);
  const code = await container.stop();
  assert.equal(code, 0, container.output());
  return [
    ["user", `${plan.uid}, without capabilities and without new ones`],
    [
      "read-only root",
      `it starts, answers and signs its owner in; it can write to ${writable.join(" and ")}`,
    ],
    ["health check", "passes; SIGTERM then ends it with exit code 0"],
  ];
}

/** Runs the image beside PostgreSQL with the settings of compose.yaml, in one network as compose gives them. */
async function checkComposed(plan: Plan, config: ImageConfig): Promise<string[][]> {
  const text = readFileSync(join(ROOT, "compose.yaml"), "utf8").replace(
    /\$\{POSTGRES_PASSWORD:\?[^}]*\}/g,
    PASSWORD,
  );
  const { rungs, postgres } = parse(text).services;
  assert.deepEqual([rungs.read_only, rungs.cap_drop, rungs.tmpfs], [true, ["ALL"], ["/tmp"]]);
  const database = await startDatabase(join(folder, "postgres"), postgres.environment);
  try {
    const hosts = join(folder, "hosts");
    writeFileSync(hosts, "127.0.0.1 localhost postgres\n");
    writeFileSync(join(plan.root, "etc/hosts"), "");
    const container = await startContainer({
      ...plan,
      env: { ...plan.env, ...rungs.environment },
      binds: { "/data": makeData("composed", plan.uid), "/etc/hosts": hosts },
      network_of: database.pid,
    });
    await untilHealthy(container, config);
    await signIn(container);
    const tables = await database.countTables();
    assert.ok(tables > 0, "Rungs created no tables.");
    assert.equal(await container.stop(), 0, container.output());
    return [
      [
        "compose.yaml",
        `healthy beside PostgreSQL ${database.version} with a password, under its settings; the command at its head signs the owner in`,
      ],
    ];
  } finally {
    await database.stop();
  }
}

/** The command for the owner in compose.yaml, and the page that its link opens. */
async function signIn(container: Container): Promise<void> {
  const said = container.exec([NODE, "/app/bin/rungs.js", "login-link", "--url", ADDRESS, "--json"]);
  assert.equal(said.code, 0, said.out);
  const { console_url } = JSON.parse(said.out);
  const ask = `fetch(${JSON.stringify(console_url)}, { redirect: "manual" }).then((answer) => console.log(answer.status))`;
  const opened = container.exec([NODE, "-e", ask]);
  assert.match(opened.out, /^(?:200|30[237])\n$/);
}

async function untilHealthy(container: Container, { Healthcheck }: ImageConfig): Promise<void> {
  const check = Healthcheck.Test.slice(1);
  for (let left = 60; left > 0; left -= 1) {
    if (container.exec(check).code === 0) return;
    await delay(250);
  }
  throw new Error(`The health check does not pass: ${container.output()}`);
}

function canWrite(container: Container, place: string): boolean {
  const file = JSON.stringify(join(place, "written"));
  const write = `fs.writeFileSync(${file}, ""); fs.rmSync(${file})`;
  return container.exec([NODE, "-e", write]).code === 0;
}

/** A volume as an engine creates it: owned like the folder in the image. */
function makeData(name: string, uid: number): string {
  const data = join(folder, name);
  mkdirSync(data);
  chownSync(data, uid, uid);
  return data;
}

function readEnv(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );
}

function requirePrograms(): void {
  if (process.getuid?.() !== 0) throw new Error("npm run image needs root, for namespaces and mounts.");
  const missing = PROGRAMS.filter((name) => {
    try {
      execFileSync("sh", ["-c", `command -v ${name}`], { stdio: "ignore" });
      return false;
    } catch {
      return true;
    }
  });
  if (missing.length > 0)
    throw new Error(`npm run image needs ${missing.join(", ")}: install what is missing.`);
}
