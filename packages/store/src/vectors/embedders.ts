/** An owner's embedder, the fields that it covers, and its progress. */
import type { StreamShape } from "@rungs/contract";
import { formatFieldPath } from "@rungs/evidence";
import type { ScopedPartition } from "../catalog/scoped-partition.ts";
import type { SqlContext, WriteSql } from "../database.ts";
import type { EmbeddingEndpoint, EmbeddingStatus } from "../port/embeddings.ts";
import type { Embedder } from "./embedder.ts";
import { createEndpointEmbedder } from "./endpoint-embedder.ts";

/** Where `state` keeps the owner's choice. */
const CHOICE = { kind: "embeddings", id: "choice" } as const;

/** The stored form of a choice. */
export type StoredChoice = Pick<EmbeddingStatus, "kind" | "endpoint">;

/** Finds the embedder that an owner chose; the given one where the owner chose none. */
export class Embedders {
  readonly #builtin: Embedder | null;
  readonly #connected = new Map<string, Embedder>();

  constructor(builtin: Embedder | null) {
    this.#builtin = builtin;
  }

  /** Null when nothing is compared by meaning. */
  async find(context: SqlContext): Promise<Embedder | null> {
    const { kind, endpoint } = await readChoice(context);
    if (kind === "off") return null;
    return endpoint ? this.#connect(endpoint) : this.#builtin;
  }

  /** One embedder for each endpoint, since it remembers queries and failures. */
  #connect(endpoint: EmbeddingEndpoint): Embedder {
    const key = JSON.stringify(endpoint);
    const embedder = this.#connected.get(key) ?? createEndpointEmbedder(endpoint);
    this.#connected.set(key, embedder);
    return embedder;
  }
}

export async function readChoice({ sql, owner }: SqlContext): Promise<StoredChoice> {
  const [row] = await sql.all<{ value: string }>(
    "SELECT value FROM state WHERE owner = $1 AND kind = $2 AND id = $3",
    [owner, CHOICE.kind, CHOICE.id],
  );
  return row ? (JSON.parse(row.value) as StoredChoice) : { kind: "builtin" };
}

export async function writeChoice({ sql, owner }: SqlContext<WriteSql>, choice: StoredChoice): Promise<void> {
  const { kind, id } = CHOICE;
  await sql.run("DELETE FROM state WHERE owner = $1 AND kind = $2 AND id = $3", [owner, kind, id]);
  await sql.insert("state", [[owner, kind, id, null, JSON.stringify(choice), null]]);
}

/** The document up to which a model has the vectors of all of an owner's records. */
export async function readThroughDoc({ sql, owner }: SqlContext, model: string): Promise<number> {
  const [row] = await sql.all<{ through_doc: number }>(
    "SELECT through_doc FROM embeddings WHERE owner = $1 AND model = $2",
    [owner, model],
  );
  return row?.through_doc ?? 0;
}

/**
 * The progress of a model's vectors: up to document `through`, out of those up to `last`, the highest that the owner's
 * records have used.
 */
export async function readProgress(
  { sql, owner }: SqlContext,
  model: string,
): Promise<{ readonly through: number; readonly last: number }> {
  const [row] = await sql.all<{ next_doc: number; through_doc: number | null }>(
    `SELECT next_doc, (SELECT e.through_doc FROM embeddings e WHERE e.owner = $1 AND e.model = $2) AS through_doc
     FROM owners WHERE owner = $1`,
    [owner, model],
  );
  return { through: row?.through_doc ?? 0, last: (row?.next_doc ?? 1) - 1 };
}

export async function writeThroughDoc(
  { sql, owner }: SqlContext<WriteSql>,
  model: string,
  through_doc: number,
): Promise<void> {
  const changed = await sql.run("UPDATE embeddings SET through_doc = $3 WHERE owner = $1 AND model = $2", [
    owner,
    model,
    through_doc,
  ]);
  if (changed === 0) await sql.insert("embeddings", [[owner, model, through_doc]]);
}

/** The searched fields whose text has vectors: bodies and titles that are strings. */
export function listEmbeddedFields({ fields }: StreamShape): string[] {
  return fields
    .filter(({ name, role, lexical }) => isEmbedded(role) && lexical.includes(formatFieldPath([name])))
    .map(({ name }) => name);
}

function isEmbedded(role: string | undefined): boolean {
  return role === "body" || role === "primary-title";
}

/** The numbers of the granted fields whose text has vectors. */
export function listGrantedFields({ shape, granted, fieldNames }: ScopedPartition): number[] {
  return listEmbeddedFields(shape)
    .filter((name) => granted.has(name))
    .map((name) => fieldNames.indexOf(name));
}
