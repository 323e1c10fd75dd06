import { ApiError, type Manifest, ownerScope } from "@rungs/contract";
import { connectionIdSchema } from "@rungs/evidence";
import type { StreamFacts } from "@rungs/store";
import { readSources } from "../access/authority.ts";
import { recordEvent } from "./audit-events.ts";
import type { OwnerContext } from "./owner-context.ts";

/** A connection and its size. */
export interface ConnectionSummary {
  readonly connection_id: string;
  readonly display_name: string;
  readonly source_id: string;
  readonly streams: readonly StreamFacts[];
}

/** Lists the owner's connections. */
export async function listConnections({ store, owner_id }: OwnerContext): Promise<ConnectionSummary[]> {
  const sources = await readSources(store, owner_id);
  const facts = await store.describeStreams(ownerScope(owner_id, [...sources.values()]));
  return [...sources.values()].map(({ connection_id, display_name, connector_key: source_id }) => ({
    connection_id,
    display_name,
    source_id,
    streams: facts.filter((each) => each.connection_id === connection_id),
  }));
}

/** A connection and its streams by name; reads no records. */
export interface SourceNames {
  readonly connection_id: string;
  readonly display_name: string;
  readonly streams: readonly { readonly stream: string; readonly label: string }[];
}

/** Lists the owner's connections by name. */
export async function listSources({ store, owner_id }: OwnerContext): Promise<SourceNames[]> {
  const sources = await readSources(store, owner_id);
  return [...sources.values()].map(({ connection_id, display_name, manifest }) => ({
    connection_id,
    display_name,
    streams: manifest.streams.map(({ name, display }) => ({ stream: name, label: display?.label ?? name })),
  }));
}

/** Creates a connection of a source, or moves it to another version of the source's declaration. */
export async function putConnection(
  { store, owner_id }: OwnerContext,
  connection_id: string,
  manifest: Manifest,
  label: string | undefined,
): Promise<void> {
  if (!connectionIdSchema.safeParse(connection_id).success) {
    const message = "A connection id has at most 128 letters, digits or ._~-.";
    throw new ApiError("invalid_request", { param: "connection_id", message });
  }
  const known = (await store.listConnections(owner_id)).find((each) => each.connection_id === connection_id);
  await store.putManifest(owner_id, manifest);
  await store.putConnection(owner_id, {
    connection_id,
    source_id: manifest.source.id,
    declaration_version: manifest.declaration_version,
    display_name: label ?? known?.display_name ?? manifest.display?.name ?? connection_id,
  });
}

const NAME_MAX_CHARS = 200;

/** Gives a connection another display name; its id, its records and its grants stay as they are. */
export async function renameConnection(
  owner: OwnerContext,
  connection_id: string,
  display_name: string,
): Promise<void> {
  const { store, owner_id } = owner;
  const known = (await store.listConnections(owner_id)).find((each) => each.connection_id === connection_id);
  if (!known) throw new ApiError("connection_not_found", { param: "connection_id" });
  const name = display_name.trim();
  if (name === "" || name.length > NAME_MAX_CHARS) {
    const message = `A name has 1 to ${NAME_MAX_CHARS} characters.`;
    throw new ApiError("invalid_request", { param: "name", message, next: "Give another name." });
  }
  const { source_id, declaration_version } = known;
  await store.putConnection(owner_id, { connection_id, source_id, declaration_version, display_name: name });
  await recordEvent(owner, "connection_renamed", { connection_id });
}
