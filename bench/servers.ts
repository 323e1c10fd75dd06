/** Server processes on a benchmark's database, and requests to them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type Agent, request } from "node:http";
import { DATA_ACCESS_TYPE } from "@rungs/contract";
import { createGrant } from "@rungs/server";
import { benchManifest } from "./corpus.ts";
import { CONNECTION, type Engine, OWNER } from "./engines.ts";

export interface Server {
  readonly url: string;
  readonly process: ChildProcess;
}

/** A token of a new grant for all records of the benchmark. */
export async function createToken({ store }: Engine): Promise<string> {
  const { token } = await createGrant(
    { store, owner_id: OWNER, now: Date.now },
    {
      client: { client_id: "bench" },
      details: [
        {
          type: DATA_ACCESS_TYPE,
          source: { kind: "connector", id: benchManifest.source.id },
          purpose_code: "https://pdpp.dev/purpose/assistance",
          access_mode: "continuous",
          streams: [{ name: "messages", instance_ids: [CONNECTION] }],
        },
      ],
    },
  );
  return token;
}

export async function startServers({ place }: Engine, count: number): Promise<Server[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const file = new URL("./http-server.ts", import.meta.url).pathname;
      const child = spawn(process.execPath, ["--conditions=rungs-source", file, place], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [line] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
      return { url: line.toString().trim(), process: child };
    }),
  );
}

export async function stopServers(servers: readonly Server[]): Promise<void> {
  for (const { process: child } of servers) {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

export function fetchText(agent: Agent, url: string, token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, headers: { Authorization: `Bearer ${token}` } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (some: string) => {
        text += some;
      });
      answer.on("end", () =>
        answer.statusCode === 200 ? resolve(text) : reject(new Error(`${answer.statusCode} ${text}`)),
      );
    });
    call.on("error", reject);
    call.end();
  });
}
