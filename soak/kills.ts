/** Kills at random points under load: every acknowledged record is stored once and found by search. */
import { setTimeout as delay } from "node:timers/promises";
import { createRandom } from "../testing/random.ts";
import { until } from "../testing/until.ts";
import { ask } from "./ask.ts";
import { Imports } from "./imports.ts";
import { Ledger } from "./ledger.ts";
import { COMMON } from "./notes.ts";
import { type EngineName, places } from "./places.ts";
import { runReader } from "./readers.ts";
import { Service } from "./service.ts";
import { verifyPlace } from "./verify.ts";
import { CONNECTION, createWorld, IMPORTS } from "./world.ts";
import { requirePassing, runWriters } from "./writers.ts";

export interface KillOptions {
  readonly engine: EngineName;
  readonly kills: number;
  /** Records of each import. */
  readonly records: number;
  /** The longest time between two kills. */
  readonly pause_ms: number;
}

/** What was killed, and the result. */
export interface KillFigures {
  readonly kills: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  readonly doubtful: Ledger["doubtful"];
  readonly imports: number;
  readonly records: number;
}

type Victim = () => Promise<void>;

/** The target and time of a kill, and what the target must have done before. */
interface Killing {
  readonly victims: Readonly<Record<string, Victim>>;
  readonly kills: number;
  readonly pause_ms: number;
  readonly ledger: Ledger;
}

/** Runs writers, imports and readers, and kills the processes that serve them. Throws when a guarantee is broken. */
export async function soakKills({ engine, kills, records, pause_ms }: KillOptions): Promise<KillFigures> {
  const place = await places[engine]();
  const service = new Service(await createWorld(place));
  const ledger = new Ledger();
  const imports = new Imports(service, records);
  const stop = new AbortController();
  try {
    await service.start();
    const load = Promise.all([
      runWriters({ service, ledger, writers: 4, stop: stop.signal }),
      imports.run(stop.signal),
      runReader(service, stop.signal),
    ]);
    const killed = await Promise.race([
      load.then(() => ({})),
      killAll({ victims: listVictims(service, imports), kills, pause_ms, ledger }),
    ]);
    stop.abort();
    await load;
    await service.stop();
    const expected = { [CONNECTION]: ledger.kept, [IMPORTS]: imports.listNotes(imports.finished) };
    const { acknowledged, doubtful } = ledger;
    const count = await verifyPlace(place, expected);
    return { kills: killed, acknowledged, doubtful, imports: imports.finished, records: count };
  } finally {
    stop.abort();
    await service.end();
    await imports.end();
    await place.remove();
  }
}

async function killAll({ victims, kills, pause_ms, ledger }: Killing): Promise<Record<string, number>> {
  const random = createRandom(kills);
  const names = Object.keys(victims);
  const killed = Object.fromEntries(names.map((name) => [name, 0]));
  for (let kill = 0; kill < kills; kill += 1) {
    const before = ledger.acknowledged;
    await delay(random() * pause_ms);
    // Killing something that has not worked yet proves nothing.
    await until(() => ledger.acknowledged > before);
    const name = names[kill % names.length] as string;
    await victims[name]?.();
    killed[name] = (killed[name] ?? 0) + 1;
  }
  return killed;
}

function listVictims(service: Service, imports: Imports): Record<string, Victim> {
  const { postgres } = service.world.place;
  const victims = {
    async server() {
      await service.kill();
      await service.start();
    },
    importer: () => imports.kill(),
  };
  if (!postgres) return victims;
  return {
    ...victims,
    async PostgreSQL() {
      service.hold();
      await postgres.kill();
      await requireCodedAnswer(service);
      await postgres.restart();
      await service.untilWell();
    },
  };
}

/** The server keeps running and reports the outage. */
async function requireCodedAnswer({ server, world }: Service): Promise<void> {
  const answer = await ask(`${server.url}/v1/search?q=${COMMON}`, world.agents[0] ?? "");
  if (answer.status === 0) throw new Error(`The server ended with its database: ${(await server.ended).err}`);
  if (answer.status !== 200) requirePassing(answer);
}
