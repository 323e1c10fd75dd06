import { describeStream, type Manifest, type StreamShape } from "@rungs/contract";
import type { Connection, Store } from "@rungs/store";

/** A connection with its source's current declaration. */
export interface Source {
  readonly connection_id: string;
  /** The id of the source. */
  readonly connector_key: string;
  readonly display_name: string;
  readonly manifest: Manifest;
  readonly shapes: ReadonlyMap<string, StreamShape>;
}

/** An owner's connections, by id. */
export type Sources = ReadonlyMap<string, Source>;

type Declaration = Pick<Source, "manifest" | "shapes">;

/** Resolves connections to sources. */
export type SourceDescriber = (owner_id: string, connections: readonly Connection[]) => Promise<Sources>;

/** Reads an owner's current connections. */
export async function readSources(store: Store, owner_id: string): Promise<Sources> {
  return createSourceDescriber(store)(owner_id, await store.listConnections(owner_id));
}

/** For all owners together: forgetting costs less than a cache that grows with their number. */
const DECLARATIONS_MAX = 1_000;

/** Creates a describer that caches declarations, which never change once stored. */
export function createSourceDescriber(store: Store): SourceDescriber {
  const declarations = new Map<string, Declaration>();

  async function readDeclaration(owner_id: string, connection: Connection): Promise<Declaration | undefined> {
    const { source_id, declaration_version } = connection;
    const key = JSON.stringify([owner_id, source_id, declaration_version]);
    const known = declarations.get(key);
    if (known) return known;
    const manifest = await store.getManifest(owner_id, source_id, declaration_version);
    if (!manifest) return undefined;
    const declaration = { manifest, shapes: describeStreams(manifest) };
    if (declarations.size >= DECLARATIONS_MAX) declarations.clear();
    declarations.set(key, declaration);
    return declaration;
  }

  return async (owner_id, connections) => {
    const sources = new Map<string, Source>();
    for (const connection of connections) {
      const declaration = await readDeclaration(owner_id, connection);
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
