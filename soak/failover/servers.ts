/** Two `rungs serve`, each with its own connections to both databases. */
import { until } from "../../testing/until.ts";
import { type Server, serve } from "../program.ts";
import type { Link, Pair } from "./pair.ts";

const COUNT = 2;

export class Servers {
  readonly links: readonly Link[];
  readonly #running: (Server | undefined)[] = [];

  private constructor(links: readonly Link[]) {
    this.links = links;
  }

  static async start(pair: Pair): Promise<Servers> {
    const links: Link[] = [];
    for (let at = 0; at < COUNT; at += 1) links.push(await pair.link());
    const servers = new Servers(links);
    for (let at = 0; at < COUNT; at += 1) await servers.#start(at);
    return servers;
  }

  get count(): number {
    return this.links.length;
  }

  /** The URLs of those that run. */
  list(): string[] {
    return this.#running.flatMap((server) => server?.url ?? []);
  }

  /** Kills one and starts it again. */
  async kill(at: number): Promise<void> {
    const server = this.#running[at];
    this.#running[at] = undefined;
    await server?.kill();
    await this.#start(at);
  }

  /** Asserts that no server exited by itself. */
  requireRunning(): void {
    for (const server of this.#running)
      if (server && server.child.exitCode !== null) throw new Error("A server ended by itself.");
  }

  /** Kills all; returns what they logged last about unexpected errors. */
  async end(): Promise<string[]> {
    const logs: string[] = [];
    for (const server of this.#running) {
      await server?.kill();
      logs.push((await server?.ended)?.err ?? "");
    }
    return logs.flatMap((log) => log.split("\n")).filter((line) => line.includes('"failure"'));
  }

  /** A server does not start while no primary is reachable: retry, like a supervisor. */
  async #start(at: number): Promise<void> {
    const { address } = this.links[at] as Link;
    const options = ["--database", address, "--database-replica", address];
    this.#running[at] = await until(() => serve(options).catch(() => undefined));
  }
}
