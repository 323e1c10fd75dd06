/** A real server for calendars and contacts: Radicale, on a free port of this machine. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { DavTestServer } from "./dav-server.ts";

const STARTS = 100;

/** Whether Radicale is installed and wanted: `RUNGS_TEST_DAV=npm` chooses the server of `plain-server.ts`. */
export function hasRadicale(): boolean {
  if (process.env.RUNGS_TEST_DAV === "npm") return false;
  return spawnSync("radicale", ["--version"], { stdio: "ignore" }).status === 0;
}

export async function startRadicale(): Promise<DavTestServer> {
  const folder = mkdtempSync(join(tmpdir(), "rungs-radicale-"));
  mkdirSync(join(folder, "data"));
  writeFileSync(join(folder, "users"), "jo:correct horse\n");
  const port = await findPort();
  const options = [
    `--server-hosts=127.0.0.1:${port}`,
    "--auth-type=htpasswd",
    `--auth-htpasswd-filename=${join(folder, "users")}`,
    "--auth-htpasswd-encryption=plain",
    "--auth-delay=0",
    `--storage-filesystem-folder=${join(folder, "data")}`,
    "--logging-level=critical",
  ];
  const url = `http://127.0.0.1:${port}/`;
  const launch = () => spawn("radicale", ["--config", "", ...options], { stdio: "ignore", cwd: folder });
  let program = launch();
  await untilListening(url);
  return {
    name: "Radicale",
    url,
    home: "jo/",
    user: "jo",
    password: "correct horse",
    async restart() {
      program.kill("SIGKILL");
      program = launch();
      await untilListening(url);
    },
    async stop() {
      program.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilListening(url: string): Promise<void> {
  for (let left = STARTS; ; left -= 1) {
    try {
      await fetch(url, { redirect: "manual" });
      return;
    } catch (error) {
      if (left === 0) throw error;
      await delay(100);
    }
  }
}

function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
