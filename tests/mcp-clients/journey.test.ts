import { after, before, describe, test } from "node:test";
import { engines } from "../../testing/engines.ts";
import { transports } from "../../testing/mcp/connect.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";
import { createContentOnly } from "./content-only.ts";
import { climb } from "./journey.ts";
import { createResourceAware } from "./resource-aware.ts";
import { createStructuredAware } from "./structured-aware.ts";
import { createStructuredOnly } from "./structured-only.ts";

const clients = {
  "content-only": createContentOnly,
  "structured-only": createStructuredOnly,
  "structured-aware": createStructuredAware,
  "resource-aware": createResourceAware,
};

for (const engine of Object.keys(engines)) {
  describe(engine, { concurrency: 4 }, () => {
    let served: ServedWorld;
    before(async () => {
      served = await serveWorld(engine);
    });
    after(() => served?.close());

    for (const [transport, connect] of Object.entries(transports)) {
      for (const [kind, createClimber] of Object.entries(clients)) {
        test(`R43 a ${kind} client climbs the whole ladder over ${transport}`, async () => {
          const { token, grant_id } = await served.allowBoth();
          const client = await connect({ url: served.url, token });
          await climb({ climber: createClimber(client), world: served.world, grant_id }).finally(() =>
            client.close(),
          );
        });
      }
    }
  });
}
