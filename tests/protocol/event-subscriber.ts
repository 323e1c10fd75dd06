/** A client that subscribes to events, and the server's rounds of sending them. */
import { createEventRound, openSealer } from "@rungs/server";
import { createNote } from "../../testing/library.ts";
import { GRANTED_FIELDS, type World } from "../../testing/world.ts";
import { createSpecificationClient } from "./client.ts";

export const JSON_TYPE = { "Content-Type": "application/json" };
export const PATH = "/v1/event-subscriptions";

/** The actions of event tests. */
export function createSubscriber(world: () => World) {
  const owner = () => ({ store: world().store, owner_id: world().owner_id, now: () => world().clock.now });
  const connect = (token = world().client) =>
    createSpecificationClient(async (path, init) => world().app.request(path, init), token);
  const openRound = async (is_local = true) => {
    const round = createEventRound({ ...owner(), sealer: await openSealer(world().store), is_local });
    return () => round(AbortSignal.timeout(20_000));
  };
  const write = (key: string, data: Record<string, unknown>, connection = "home") =>
    world().store.ingest(world().owner_id, connection, [createNote(key, data)]);
  const subscribe = async (client: ReturnType<typeof connect>, body: object) =>
    client.send("subscription_created", PATH, {
      method: "POST",
      body: JSON.stringify(body),
      headers: JSON_TYPE,
    });
  const allowNotes = () => world().allow([{ name: "notes", instance_ids: ["home"], fields: GRANTED_FIELDS }]);
  return { owner, connect, openRound, write, subscribe, allowNotes };
}
