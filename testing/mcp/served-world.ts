/** A test world that listens on a port, with `/mcp`. */
import { listen } from "rungs/internal/listen";
import { addMcp } from "rungs/internal/mcp-endpoint";
import { createWorld, GRANTED_FIELDS, type World } from "../world.ts";

export interface ServedWorld {
  readonly world: World;
  readonly url: string;
  /** A grant over the notes of both connections: its token, and its id to revoke it by. */
  allowBoth(): Promise<{ token: string; grant_id: string }>;
  close(): Promise<void>;
}

export async function serveWorld(
  engine: string,
  options: Parameters<typeof createWorld>[1] = {},
): Promise<ServedWorld> {
  const world = await createWorld(engine, options);
  const rate = { burst: 1e9, per_second: 1e9 };
  addMcp(world.app, world.store, { now: () => world.clock.now, rate });
  const { url, stop } = await listen(world.app.fetch, { host: "127.0.0.1", port: 0, stop_ms: 100 });
  return {
    world,
    url,
    async allowBoth() {
      const stream = {
        name: "notes",
        instance_ids: ["home", "work"],
        fields: GRANTED_FIELDS,
        resources: undefined,
      };
      const { token, grant } = await world.allow([stream]);
      return { token, grant_id: grant.grant_id };
    },
    async close() {
      await stop();
      await world.close();
    },
  };
}
