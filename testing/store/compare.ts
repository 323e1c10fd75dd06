/** Compares the store's answers with the oracle's. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { ReadScope } from "@rungs/contract";
import type { Query } from "@rungs/evidence";
import { countChars, parseFieldPath, valueAt } from "@rungs/evidence";
import type {
  SearchPosition,
  Store,
  StoredBytes,
  StoredCut,
  StoredHit,
  StoredProof,
  StoredRecord,
} from "@rungs/store";
import { assertProof, placesIn } from "./matching.ts";
import type { Covered, Held, Oracle } from "./oracle.ts";
import type { OracleHit } from "./oracle-search.ts";

/** Documented: an inline field's proof lists at most this many matches. */
const MAX_MATCHES = 32;

/** The answer of both engines, which must be the same. */
export async function askBoth<T>(
  stores: readonly [Store, Store],
  ask: (store: Store) => Promise<T>,
): Promise<T> {
  const [one, other] = await Promise.all(stores.map((store) => ask(store)));
  assert.deepEqual(other, one, "the engines give equal answers");
  return one as T;
}

/** Asserts that a stored record is the scope's view of what the oracle holds. */
export function assertRecord(
  oracle: Oracle,
  scope: ReadScope,
  actual: StoredRecord | undefined,
  held: Held | undefined,
  fields?: readonly string[],
): void {
  if (!held || !actual) {
    assert.equal(actual?.record_id, held?.ref.record_id);
    return;
  }
  const granted = oracle.coverOne(scope, held.ref)?.granted ?? new Set();
  const { connection_id, stream, record_id, emitted_at, data, cuts } = actual;
  assert.deepEqual({ connection_id, stream, record_id }, held.ref);
  assert.equal(emitted_at, oracle.emittedAt(scope.owner_id, held, granted));
  const shown = Object.keys(held.data).filter(
    (name) => granted.has(name) && (fields?.includes(name) ?? true),
  );
  assert.deepEqual(Object.keys(data), shown);
  assert.ok(cuts.every(({ path }) => shown.includes(path)));
  for (const name of shown)
    assertValue(
      held.data[name],
      data[name],
      cuts.find(({ path }) => path === name),
    );
}

function assertValue(wanted: unknown, got: unknown, cut: StoredCut | undefined): void {
  const text = textOf(wanted);
  if (!cut) {
    assert.deepEqual(got, wanted);
    assert.ok(countChars(text) <= 4_096, "a longer value is cut");
    return;
  }
  if (cut.bytes) {
    assertEncoded(text, got, cut.bytes);
    return;
  }
  const { kind, head, bytes: _, ...facts } = cut;
  assert.equal(kind, typeof wanted === "string" ? "text" : "json");
  assert.deepEqual(facts, { path: cut.path, ...factsOf(text) });
  assert.ok(text.startsWith(head));
  assert.equal(got, kind === "text" ? head : null);
}

/** Asserts that encoded bytes are described by their decoded form, and that the data contains none of them. */
function assertEncoded(text: string, got: unknown, { blob_id, size_bytes }: StoredBytes): void {
  const bytes = Buffer.from(text, "base64");
  assert.equal(blob_id, createHash("sha256").update(bytes).digest("hex"));
  assert.equal(size_bytes, bytes.length);
  assert.equal(got, `(binary: application/octet-stream, ${size_bytes} bytes; read_blob blob_id=${blob_id})`);
}

/** Asserts that hits are the oracle's, in its order, with proofs that hold. */
export function assertHits(
  oracle: Oracle,
  scope: ReadScope,
  actual: readonly StoredHit[],
  wanted: readonly OracleHit[],
): void {
  assert.deepEqual(
    actual.map(({ position }) => position.id),
    wanted.map(({ position }) => position.id),
  );
  for (const [at, hit] of actual.entries()) {
    const { held, position, matched_fields, matched_clauses, telling, own, passage } = wanted[
      at
    ] as OracleHit;
    assert.ok(Math.abs(hit.score - position.score) <= 1e-9 * Math.max(1, position.score));
    assertPosition(hit.position, { ...position, score: hit.score });
    assert.deepEqual(hit.matched_fields, matched_fields);
    assert.deepEqual(hit.matched_clauses, matched_clauses);
    const {
      score: _score,
      matched_fields: _fields,
      matched_clauses: _clauses,
      proofs,
      position: _position,
      ...record
    } = hit;
    assertRecord(oracle, scope, record, held);
    if (passage) assertQuoted(proofs, held, passage, own);
    else {
      const proven = proofs.filter(({ provenance }) => provenance === "lexical_match");
      const isLight = telling.clauses.length === 0;
      assert.ok(proofs.length > 0 && (isLight || proven.length > 0), "a hit with a word is proven");
      for (const proof of proven) assertHitProof(proof, hit, held, isLight ? own : telling);
      assertContext(proofs, oracle.coverOne(scope, held.ref), held);
    }
  }
}

/** A position may omit the tie order when no other hit has the same score. */
function assertPosition(actual: SearchPosition, wanted: SearchPosition): void {
  const leftOut = actual.time_ms === null && actual.tie === 0;
  assert.deepEqual(actual, leftOut ? { ...wanted, time_ms: null, tie: 0 } : wanted);
}

/** Asserts that a hit with none of the deciding words shows the similar passage. */
function assertQuoted(
  proofs: readonly StoredProof[],
  held: Held,
  passage: NonNullable<OracleHit["passage"]>,
  own: Query,
): void {
  const text = held.data[passage.field] as string;
  const { size_chars, digest } = factsOf(text);
  assert.deepEqual(proofs, [
    {
      provenance: own.clauses.length === 0 ? "similar_passage" : "context",
      field_path: passage.field,
      size_chars,
      digest,
      text: passage.text,
      text_start_chars: passage.start_chars,
      matches: [],
    },
  ]);
}

/**
 * Asserts that the body appears as context where it has no match, if it is short or only the author's name is proven.
 */
function assertContext(proofs: readonly StoredProof[], covered: Covered | undefined, held: Held): void {
  const [context, ...more] = proofs.filter(({ provenance }) => provenance === "context");
  const proven = proofs
    .filter(({ provenance }) => provenance !== "context")
    .map(({ field_path }) => field_path);
  const field = covered?.shape.fields.find(
    ({ role, name }) => role === "body" && covered.granted.has(name),
  )?.name;
  const body = field && held.data[field];
  const isWanted =
    typeof body === "string" &&
    body !== "" &&
    !proven.includes(field as string) &&
    (countChars(body) <= 500 || proven.every((path) => path === "from" || path.startsWith("from.")));
  assert.equal(context !== undefined, isWanted, "the body is shown for context");
  if (!context) return;
  assert.deepEqual([more, context.field_path, context.matches], [[], field, []]);
  assert.equal(context.digest, factsOf(body as string).digest);
  assert.ok((body as string).startsWith(context.text) && context.text_start_chars === 0);
}

function assertHitProof(proof: StoredProof, hit: StoredHit, held: Held, query: Query): void {
  const path = parseFieldPath(proof.field_path) ?? [];
  assert.ok(hit.matched_fields.includes(String(path[0])));
  const text = valueAt(held.data, path);
  assert.ok(typeof text === "string");
  assertProof(proof, text, query);
  assert.equal(proof.digest, factsOf(text).digest);
  if (hit.cuts.some((cut) => cut.path === path[0])) return;
  const all = placesIn(text, query);
  const listed = new Set(proof.matches.map(keyOf));
  if (all.length > MAX_MATCHES) assert.equal(listed.size, MAX_MATCHES);
  else assert.deepEqual(listed, new Set(all.map(keyOf)));
}

/** The text that windows of a value read. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

export function factsOf(text: string): { size_chars: number; size_bytes: number; digest: string } {
  const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  return { size_chars: countChars(text), size_bytes: Buffer.byteLength(text), digest };
}

function keyOf({ start_chars, end_chars }: { start_chars: number; end_chars: number }): string {
  return `${start_chars}-${end_chars}`;
}
