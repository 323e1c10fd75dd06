import { describeStream, type Manifest, type StreamShape } from "@rungs/contract";
import type { Connection, Store } from "@rungs/store";

/** A connection with what its source declares now. */
export interface Source {
  readonly connection_id: string;
  /** The id of the source that the connection is of. */
  readonly connector_key: string;
  readonly display_name: string;
  readonly manifest: Manifest;
  readonly shapes: ReadonlyMap<string, StreamShape>;
}

/** An owner's connections, by id. */
export type Sources = ReadonlyMap<string, Source>;

type Declaration = Pick<Source, "manifest" | "shapes">;

/** Gives the function that reads an owner's connections; declarations never change once stored, so they are kept. */
export function createSourceReader(store: Store): (owner_id: string) => Promise<Sources> {
  const declarations = new Map<string, Declaration>();

  async function declarationOf(owner_id: string, connection: Connection): Promise<Declaration | undefined> {
    const { source_id, declaration_version } = connection;
    const key = JSON.stringify([owner_id, source_id, declaration_version]);
    const known = declarations.get(key);
    if (known) return known;
    const manifest = await store.getManifest(owner_id, source_id, declaration_version);
    if (!manifest) return undefined;
    const declaration = { manifest, shapes: describeStreams(manifest) };
    declarations.set(key, declaration);
    return declaration;
  }

  return async (owner_id) => {
    const sources = new Map<string, Source>();
    for (const connection of await store.listConnections(owner_id)) {
      const declaration = await declarationOf(owner_id, connection);
      const { connection_id, source_id: connector_key, display_name } = connection;
      if (declaration) {
        sources.set(connection_id, { connection_id, connector_key, display_name, ...declaration });
      }
    }
    return sources;
  };
}

function describeStreams({ streams }: Manifest): Map<string, StreamShape> {
  return new Map(streams.map((stream) => [stream.name, describeStream(stream)]));
}
