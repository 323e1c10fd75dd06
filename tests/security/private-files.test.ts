/** Only the user can read the files that Rungs writes, whatever the umask. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { globSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { saveLogin } from "rungs/internal/logins";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { start } from "../../testing/cli/program.ts";
import { MBOX } from "../../testing/fuzz/text-samples.ts";

const folder = mkdtempSync(join(tmpdir(), "rungs-private-"));
const home = join(folder, "deep", "home");
const out = join(folder, "out");
const env = { RUNGS_HOME: home };
const umask = process.umask(0);

before(async () => {
  mkdirSync(out);
  writeFileSync(join(folder, "all.mbox"), MBOX);
  await run(
    "import",
    join(folder, "all.mbox"),
    "--connection",
    "mail",
    "--report",
    join(out, "report.ndjson"),
  );
  const made = await run("grant", "create", "--client", "a", "--allow", "mail/*", "--json");
  const token: string = JSON.parse(made).token;
  await run("token", "owner");
  await run("search", "tea", ...["--json"], { RUNGS_TOKEN: token });
  await run("export", "-o", join(out, "export.ndjson"), { RUNGS_TOKEN: token });
  await run("backup", join(out, "copy.db"));
  saveLogin(home, { url: "http://127.0.0.1:1" } as Parameters<typeof saveLogin>[1]);
});
after(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true });
});

async function run(...words: (string | Record<string, string>)[]): Promise<string> {
  const argv = words.filter((word) => typeof word === "string");
  const more = words.find((word) => typeof word === "object");
  const ran = await rungsHere(argv, { ...env, ...more });
  assert.equal(ran.code, 0, `${argv.join(" ")}: ${ran.err}`);
  return ran.out;
}

const modesIn = (place: string) =>
  globSync("**/*", { cwd: place }).map((path) => {
    const stats = statSync(join(place, path));
    return { path, is_folder: stats.isDirectory(), mode: (stats.mode & 0o777).toString(8) };
  });

function assertPrivate(place: string): string[] {
  const found = modesIn(place);
  const open = found.filter(({ is_folder, mode }) => mode !== (is_folder ? "700" : "600"));
  assert.deepEqual(open, []);
  return found.map(({ path }) => path);
}

test("R53 the home is 700 and everything in it 700 or 600, with any umask", () => {
  assert.equal(statSync(home).mode & 0o777, 0o700);
  const paths = assertPrivate(home);
  assert.ok(paths.includes("rungs.db") && paths.includes("logins"), paths.join());
});

test("files written for the owner elsewhere are 600: backups, exports, reports", () => {
  assert.deepEqual(assertPrivate(out).sort(), ["copy.db", "export.ndjson", "report.ndjson"]);
});

test("the files next to an open database are 600 too", async (t) => {
  const server = start(["serve", "--json", "--port", "0"], env);
  t.after(() => server.kill("SIGTERM"));
  const end = once(server, "close");
  server.stderr.resume();
  const { value } = await createInterface(server.stdout)[Symbol.asyncIterator]().next();
  const { url, console_url } = JSON.parse(value ?? "{}");
  await fetch(`${url}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ client_name: "a", redirect_uris: ["http://127.0.0.1:7/callback"] }),
  });
  await (await fetch(console_url)).text();
  const paths = assertPrivate(home);
  server.kill("SIGTERM");
  await end;
  assert.ok(paths.includes("rungs.db-wal") && paths.some((path) => path.includes("notes")), paths.join());
});
