/** A resource server apart from its authorization server, in this process. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { createRemoteTokens, createServer as createResourceServer, openSealer } from "@rungs/server";
import { createWorld, GRANTED_FIELDS, type Json, type World } from "../../testing/world.ts";

export const DETAIL = {
  type: "https://pdpp.dev/data-access",
  source: { kind: "connector", id: "https://rungs.example/connectors/library" },
  source_declaration: { version: "1" },
  purpose_code: "https://pdpp.dev/purpose/assistance",
  access_mode: "continuous",
  streams: [{ name: "notes", instance_ids: ["home"], fields: GRANTED_FIELDS }],
};
export const AUDIENCE = "http://127.0.0.1:7717";

interface Apart {
  readonly world: World;
  readonly clock: { now: number };
  ask(path: string, init: RequestInit): Promise<Response>;
  read(token: string, path?: string): Promise<{ status: number; body: Json }>;
}

/** A resource server that accepts another server's tokens, on a new world or a shared one. */
export async function openApart(
  t: TestContext,
  options: Omit<Parameters<typeof createRemoteTokens>[1], "subject">,
  shared?: World,
) {
  const world = shared ?? (await createWorld("sqlite"));
  if (!shared) t.after(() => world.close());
  const { store, owner_id } = world;
  const clock = { now: Date.now() };
  const now = () => clock.now;
  const tokens = createRemoteTokens(
    { store, owner_id, now, audience: AUDIENCE },
    { subject: "alice", ...options },
  );
  const app = createResourceServer({
    store,
    tokens,
    now,
    audience: AUDIENCE,
    sealer: await openSealer(store),
  });
  const read: Apart["read"] = async (token, path = "/v1/streams/notes/records/n1") => {
    const answer = await app.request(path, { headers: { Authorization: `Bearer ${token}` } });
    return { status: answer.status, body: await answer.json() };
  };
  const ask: Apart["ask"] = async (path, init) => app.request(path, init);
  return { world, clock, read, ask } satisfies Apart;
}

/** Listens on loopback until the test ends. */
export async function listenOn(t: TestContext, answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
