import { setTimeout as delay } from "node:timers/promises";
import { ask } from "./ask.ts";
import { type Server, startServer } from "./program.ts";
import type { World } from "./world.ts";

const READY_MS = 60_000;

/** A server that is killed and restarted; callers wait for `ready`. */
export class Service {
  readonly world: World;
  #server: Server | undefined;
  #ready = Promise.withResolvers<string>();

  constructor(world: World) {
    this.world = world;
  }

  /** The URL, once the server answers. */
  get ready(): Promise<string> {
    return this.#ready.promise;
  }

  get server(): Server {
    if (!this.#server) throw new Error("The server was not started.");
    return this.#server;
  }

  async start(): Promise<void> {
    this.#server = await startServer(this.world);
    await this.untilWell();
  }

  /** Blocks callers until `untilWell` resolves. */
  hold(): void {
    this.#ready = Promise.withResolvers<string>();
  }

  async kill(): Promise<void> {
    this.hold();
    await this.server.kill();
  }

  /** Waits until the server answers an authorized read; the fault must be gone. */
  async untilWell(): Promise<void> {
    const { url, child } = this.server;
    for (const deadline = Date.now() + READY_MS; ; await delay(50)) {
      const { status } = await ask(`${url}/v1/schema`, this.world.agents[0] ?? "");
      if (status === 200) break;
      if (child.exitCode !== null) throw new Error("The server ended by itself.");
      if (Date.now() > deadline) throw new Error(`The server is not well again: ${status}.`);
    }
    this.#ready.resolve(url);
  }

  /** Kills the server if it was started. */
  async end(): Promise<void> {
    await this.#server?.kill();
  }

  async stop(): Promise<void> {
    this.hold();
    await this.server.stop();
  }
}
