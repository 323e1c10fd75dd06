/** A database with a connection to write to, and tokens for the owner and for agents. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DATA_ACCESS_TYPE } from "@rungs/contract";
import { createGrant, createOwnerToken, ensureOwner, type OwnerContext, putConnection } from "@rungs/server";
import { library } from "../testing/library.ts";
import { STREAM } from "./notes.ts";
import type { Place } from "./places.ts";

/** Where writers write, and where imports go. */
export const CONNECTION = "home";
export const IMPORTS = "imports";

export interface World {
  readonly place: Place;
  /** The owner's token. */
  readonly owner: string;
  /** One token per agent, each from a separate grant. */
  readonly agents: readonly string[];
  /** The source declaration, for `rungs import`. */
  readonly manifest_file: string;
}

/** Prepares a database; `fill` may write to it before a server opens it. */
export async function createWorld(
  place: Place,
  { agents = 1, fill }: { agents?: number; fill?: (parts: OwnerContext) => Promise<unknown> } = {},
): Promise<World> {
  const store = await place.open();
  try {
    const parts = { store, owner_id: await ensureOwner(store), now: Date.now };
    for (const id of [CONNECTION, IMPORTS]) await putConnection(parts, id, library, undefined);
    await fill?.(parts);
    const owner = await createOwnerToken(parts);
    const tokens: string[] = [];
    for (let agent = 0; agent < agents; agent += 1) tokens.push(await allow(parts, `agent-${agent}`));
    const manifest_file = join(place.folder, "manifest.json");
    writeFileSync(manifest_file, JSON.stringify(library));
    return { place, owner, agents: tokens, manifest_file };
  } finally {
    await store.close();
  }
}

/** Grants a client the notes of both connections and returns its token. */
export async function allow(parts: OwnerContext, client_id: string, expires_at_ms?: number): Promise<string> {
  const { token } = await createGrant(parts, {
    client: { client_id },
    expires_at_ms,
    details: [
      {
        type: DATA_ACCESS_TYPE,
        source: library.source,
        purpose_code: "https://pdpp.dev/purpose/assistance",
        access_mode: "continuous",
        streams: [{ name: STREAM, instance_ids: [CONNECTION, IMPORTS] }],
      },
    ],
  });
  return token;
}
