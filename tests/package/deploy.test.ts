/** `deploy/` references only existing commands, options, settings, routes, ports and files. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { operations } from "@rungs/contract";
import { globalOptions } from "rungs/internal/command";
import { commands } from "rungs/internal/commands";
import { parse, parseAllDocuments } from "yaml";
import { composeFile, kubernetesObject } from "./schemas.ts";

const DEPLOY = join(import.meta.dirname, "../../deploy");
const read = (file: string) => readFileSync(join(DEPLOY, file), "utf8");
const guide = read("../docs/operating.md");
const PORT = 7717;
/** The longest time from the end of a server's drain to its exit. */
const STOP_SECONDS = 20;

const { services, volumes } = readCompose();
const [proxy, ...servers] = ["proxy", "rungs1", "rungs2"].map((name) => services[name]);
const databases = ["db1", "db2"].map((name) => services[name]);
const objects = globSync("kubernetes/*.yaml", { cwd: DEPLOY }).flatMap((file) =>
  parseAllDocuments(read(file)).map((document) => kubernetesObject.parse(document.toJS())),
);
const haproxy = read("compose/haproxy.cfg");

function readCompose() {
  const {
    "x-rungs": _,
    "x-database": __,
    "x-database-settings": ___,
    ...file
  } = parse(read("compose/compose.yaml"), { merge: true });
  return composeFile.parse(file);
}

function findObject<K extends (typeof objects)[number]["kind"]>(kind: K) {
  const found = objects.filter((each) => each.kind === kind);
  assert.equal(found.length, 1, kind);
  return found[0] as Extract<(typeof objects)[number], { kind: K }>;
}

const pod = findObject("Deployment").spec.template.spec;
const job = findObject("CronJob").spec.jobTemplate.spec.template.spec;

function findSeconds(argv: readonly string[] | undefined, option: string): number {
  return Number(argv?.map((word) => new RegExp(`^--${option}=(\\d+)$`).exec(word)?.[1]).find(Boolean));
}

test("every command line of deploy/ has an existing command and options", async () => {
  const lines = [...servers.map((each) => each?.command), pod.containers[0].args, job.containers[0].args];
  for (const [name, ...rest] of lines.map((line) => line ?? [])) {
    const options = (await commands.find((each) => each.name === name)?.load())?.options ?? {};
    for (const word of rest) {
      const [, option = ""] = /^--([a-z-]+)=./.exec(word) ?? [];
      const { type } = { ...globalOptions, ...options }[option] ?? {};
      assert.equal(type, "string", `${name} ${word}`);
    }
  }
});

test("the program reads every setting of deploy/, and every variable of the compose file is documented", () => {
  const fromSecret = Object.keys(findObject("Secret").stringData);
  const given = [...servers, pod.containers[0], job.containers[0]].flatMap((each) => [
    ...Object.keys(each && "environment" in each ? each.environment : {}),
    ...(each && "env" in each ? each.env.map(({ name }) => name) : []),
  ]);
  for (const name of [...given, ...fromSecret])
    assert.ok(name === "TMPDIR" || guide.includes(`| \`${name}\``), name);
  for (const { spec } of [{ spec: pod }, { spec: job }])
    assert.equal(spec.containers[0].envFrom[0]?.secretRef.name, findObject("Secret").metadata.name);
  for (const [, name] of read("compose/compose.yaml").matchAll(/\$\{(\w+)/g))
    assert.match(guide, new RegExp(`^${name}=`, "m"), name);
});

test("every health check of deploy/ is a route without a token, at the port of the server", () => {
  const open = ["healthz", "livez", "readyz"] as const;
  const paths = new Set<string>(open.map((name) => operations[name].path));
  const [container] = pod.containers;
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
  const asked = [
    ...probes.map((probe) => probe?.httpGet.path),
    /^ {2}http-check send meth GET uri (\S+) /m.exec(haproxy)?.[1],
    ...servers.map((each) => /127\.0\.0\.1:7717(\/\w+)'/.exec(each?.healthcheck?.test.at(-1) ?? "")?.[1]),
  ];
  for (const path of asked) assert.ok(path && paths.has(path), path);
  assert.notEqual(container.livenessProbe?.httpGet.path, container.readinessProbe?.httpGet.path);
  assert.deepEqual(container.ports, [{ name: "http", containerPort: PORT }]);
  const { RUNGS_1, RUNGS_2 } = proxy?.environment ?? {};
  assert.deepEqual([RUNGS_1, RUNGS_2], [`rungs1:${PORT}`, `rungs2:${PORT}`]);
  assert.match(read("../packages/cli/src/command/option-values.ts"), new RegExp(`DEFAULT_PORT = "${PORT}"`));
  assert.deepEqual(findObject("Service").spec.selector, pod && { app: "rungs" });
});

test("a server drains for longer than it takes to notice, and is killed only after it could finish", () => {
  const [container] = pod.containers;
  const ready = container.readinessProbe;
  assert.ok(ready && pod.terminationGracePeriodSeconds);
  const drain = findSeconds(container.args, "drain");
  assert.ok(drain > ready.periodSeconds * ready.failureThreshold + ready.timeoutSeconds);
  assert.ok(pod.terminationGracePeriodSeconds >= drain + STOP_SECONDS);
  const [, inter, fall] = /check inter (\d+)s fall (\d+)/.exec(haproxy) ?? [];
  for (const each of servers) {
    const seconds = findSeconds(each?.command, "drain");
    assert.ok(seconds > Number(inter) * Number(fall) + 2);
    assert.ok(Number.parseInt(each?.stop_grace_period ?? "", 10) >= seconds + STOP_SECONDS);
  }
  assert.deepEqual(findObject("Deployment").spec.strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 });
  assert.equal(findObject("PodDisruptionBudget").spec.maxUnavailable, 1);
});

test("the proxy gets each variable that it reads, and listens where its ports are published", () => {
  const named = [...haproxy.matchAll(/"\$(\w+)"/g)].map(([, name]) => name);
  assert.deepEqual([...new Set(named)].sort(), Object.keys(proxy?.environment ?? {}).sort());
  const inside = proxy?.ports?.map((port) => `*:${port.split(":")[1]}`);
  assert.deepEqual(inside, [proxy?.environment.HTTP_ADDRESS, proxy?.environment.HTTPS_ADDRESS]);
});

test("volumes are files of deploy/, or declared; programs get only the rights that they need", () => {
  const used = Object.values(services).flatMap((each) => each.volumes.map((volume) => volume.split(":")[0]));
  for (const source of used.filter((each) => each?.startsWith("./")))
    assert.ok(existsSync(join(DEPLOY, "compose", source ?? "")), source);
  const declared = used.filter((each) => /^\w/.test(each ?? ""));
  assert.deepEqual(declared.sort(), Object.keys(volumes).sort());
  for (const each of [proxy, ...servers])
    assert.deepEqual(
      [each?.read_only, each?.cap_drop, each?.security_opt],
      [true, ["ALL"], ["no-new-privileges:true"]],
    );
  assert.ok(databases.every((each) => each?.user === "postgres" && !each.ports));
  for (const { volumeMounts } of [pod.containers[0], job.containers[0]])
    assert.deepEqual(
      volumeMounts.map(({ name }) => name).sort(),
      (volumeMounts === pod.containers[0].volumeMounts ? pod : job).volumes.map(({ name }) => name).sort(),
    );
  assert.deepEqual(
    job.volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []),
    [findObject("PersistentVolumeClaim").metadata.name],
  );
});
