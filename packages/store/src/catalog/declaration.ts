import {
  ApiError,
  createRecordCheck,
  describeStream,
  type Manifest,
  type ManifestStream,
  type StreamShape,
} from "@rungs/contract";
import type { SqlContext } from "../database.ts";

/** A parsed manifest: the shape of each stream, and a validator per stream that is compiled on first use. */
export class Declaration {
  readonly shapes: ReadonlyMap<string, StreamShape>;
  readonly #streams: ReadonlyMap<string, ManifestStream>;
  readonly #checks = new Map<string, ReturnType<typeof createRecordCheck>>();

  constructor(manifest: Manifest) {
    this.#streams = new Map(manifest.streams.map((stream) => [stream.name, stream]));
    this.shapes = new Map(manifest.streams.map((stream) => [stream.name, describeStream(stream)]));
  }

  getCheck(stream: string): ReturnType<typeof createRecordCheck> {
    let check = this.#checks.get(stream);
    if (!check) {
      check = createRecordCheck(this.#streams.get(stream) as ManifestStream);
      this.#checks.set(stream, check);
    }
    return check;
  }
}

/** Of all owners together. */
const DECLARATIONS_MAX = 1_000;

/** Caches declarations: a stored manifest version never changes. */
export class DeclarationCache {
  readonly #declarations = new Map<string, Declaration>();

  async require({ sql, owner }: SqlContext, source_id: string, version: string): Promise<Declaration> {
    const key = JSON.stringify([owner, source_id, version]);
    let declaration = this.#declarations.get(key);
    if (!declaration) {
      const [row] = await sql.all<{ body: string }>(
        "SELECT body FROM manifests WHERE owner = $1 AND source_id = $2 AND declaration_version = $3",
        [owner, source_id, version],
      );
      if (!row)
        throw new ApiError("invalid_manifest", {
          message: "The connection's manifest is not stored.",
          param: "declaration_version",
        });
      declaration = new Declaration(JSON.parse(row.body) as Manifest);
      if (this.#declarations.size >= DECLARATIONS_MAX) this.#declarations.clear();
      this.#declarations.set(key, declaration);
    }
    return declaration;
  }
}
