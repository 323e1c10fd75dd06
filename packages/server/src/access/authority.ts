import {
  ApiError,
  applyExclusions,
  describeStream,
  type Exclusion,
  type Grant,
  type GrantStream,
  grantKey,
  isChosen,
  type Manifest,
  narrowScope,
  ownerScope,
  parseTimeMs,
  type ReadScope,
  resolveScope,
  type ScopeChoice,
  type StreamShape,
} from "@rungs/contract";
import { createMasker, type MaskRules, type MaskText } from "@rungs/evidence";
import type { Access, Connection, Store, StoredToken } from "@rungs/store";
import type { Settings } from "../settings/options.ts";
import { requireAccess } from "./tokens.ts";
import { parseWriter } from "./writer.ts";

/** What a token allows right now. */
export interface Authority {
  readonly kind: "owner" | "client" | "writer";
  readonly owner_id: string;
  readonly client_id: string;
  readonly scope: ReadScope;
  /** Granted but unreadable streams: their source no longer declares the time field or the fields that the grant limits. */
  readonly outdated: readonly StreamName[];
  /** The active grants; an owner token needs none. */
  readonly grants: readonly Grant[];
  /** Changes whenever the permissions change; cursors are bound to it. */
  readonly grant_key: string;
  readonly sources: Sources;
}

/** One stream of one connection. */
export interface StreamName {
  readonly connection_id: string;
  readonly stream: string;
}

/** Computes what a token's grants allow right now: revocation and expiry take effect with the next request (R52). */
export async function authorize(
  access: Access,
  describeSources: SourceDescriber,
  now_ms: number,
): Promise<Authority> {
  const { kind, owner_id, client_id } = access.token;
  const sources = await describeSources(owner_id, access.connections);
  if (kind === "owner") {
    const scope = ownerScope(owner_id, [...sources.values()]);
    return {
      kind,
      owner_id,
      client_id,
      scope,
      outdated: [],
      grants: [],
      grant_key: `owner ${owner_id}`,
      sources,
    };
  }
  if (kind === "writer") {
    const scope = ownerScope(owner_id, []);
    const writer_of = parseWriter(client_id);
    const own = new Map([...sources].filter(([connection_id]) => connection_id === writer_of));
    return { kind, owner_id, client_id, scope, outdated: [], grants: [], grant_key: client_id, sources: own };
  }
  const standing = requireActiveGrants(access);
  const whole = resolveScope(owner_id, standing, now_ms);
  const grants = standing.filter((grant) => isUnexpired(grant, now_ms));
  const outdated = listOutdated(grants, sources);
  const readable = { ...whole, streams: whole.streams.filter((entry) => !isAmong(outdated, entry)) };
  const scope = hideExcluded(readable, access.exclusions, sources);
  return {
    kind,
    owner_id,
    client_id,
    scope,
    outdated,
    grants,
    grant_key: grantKey(grants),
    sources: hideMaskedLabels(sources, whole),
  };
}

/** The scope without what the owner hides from every client (R81). */
export function hideExcluded(
  scope: ReadScope,
  exclusions: readonly Exclusion[],
  sources: Sources,
): ReadScope {
  return applyExclusions(scope, exclusions, (connection_id, stream) =>
    sources.get(connection_id)?.shapes.get(stream),
  );
}

function isAmong(streams: readonly StreamName[], { connection_id, stream }: StreamName): boolean {
  return streams.some((each) => each.connection_id === connection_id && each.stream === stream);
}

/** Narrows the grant's scope to what a request names; refuses a stream whose time limit no longer fits its source. */
export function requireScope({ scope, outdated }: Authority, choice: ScopeChoice): ReadScope {
  const { connection_id, stream } = choice;
  const broken = outdated.find(
    (entry) => isChosen(connection_id, entry.connection_id) && isChosen(stream, entry.stream),
  );
  if (broken) {
    const name = `${broken.connection_id}/${broken.stream}`;
    throw new ApiError("grant_invalid", {
      message: `The source of ${name} now declares another time field than the one that the grant limits.`,
      next: "Ask the owner for a new grant; other streams can still be read by naming them.",
    });
  }
  return narrowScope(scope, choice);
}

/** Lists the streams that a grant names. */
export function listGrantedStreams(grant: Grant): (StreamName & { readonly limits: GrantStream })[] {
  return grant.authorization_details
    .flatMap(({ streams }) => streams)
    .flatMap((limits) =>
      limits.instance_ids.map((connection_id) => ({ connection_id, stream: limits.name, limits })),
    );
}

function requireActiveGrants({ token, grants }: Access): Grant[] {
  if (grants.length === 0 || grants.length < token.grant_ids.length) throw new ApiError("grant_invalid");
  const standing = grants.filter(({ revoked_at }) => revoked_at === undefined);
  if (standing.length === 0) throw new ApiError("grant_revoked");
  return standing.map(({ grant }) => grant);
}

function isUnexpired({ expires_at }: Grant, now_ms: number): boolean {
  return expires_at === undefined || (parseTimeMs(expires_at) ?? 0) > now_ms;
}

/**
 * The store applies a grant's limits to the currently declared fields; a grant that limits other fields must not be
 * read by these.
 */
function listOutdated(grants: readonly Grant[], sources: Sources): StreamName[] {
  return grants.flatMap(listGrantedStreams).filter(({ connection_id, stream, limits }) => {
    const shape = sources.get(connection_id)?.shapes.get(stream);
    const isComparable = (field: string) =>
      shape?.fields.find(({ name }) => name === field)?.filterable === true;
    return (
      (limits.time_constraint !== undefined && shape?.consent_time_field !== limits.time_constraint.field) ||
      (limits.where ?? []).some(({ field }) => !isComparable(field))
    );
  });
}

/** A stream that is being sent: who opened it, and what it may read. */
interface OpenStream {
  readonly token: StoredToken;
  readonly audience: string;
  readonly authority: Authority;
}

/**
 * Creates the check that runs before each chunk of a stream. It throws the error that a new request under the same
 * token would get (R58), and throws when the stream has lasted too long or the server stops.
 */
export function createStreamCheck(
  { tokens, now, limits, stopping }: Settings,
  describeSources: SourceDescriber,
  { token, audience, authority }: OpenStream,
): () => Promise<Access> {
  const started_ms = performance.now();
  return async () => {
    if (performance.now() - started_ms > limits.stream_ms) throw new ApiError("stream_too_long");
    if (stopping?.ending.aborted) throw new ApiError("draining");
    const now_ms = now();
    const access = await requireAccess({ digest: token.digest }, tokens, now_ms, audience);
    const { grant_key, scope } = await authorize(access, describeSources, now_ms);
    if (grant_key !== authority.grant_key) throw new ApiError("grant_revoked");
    if (hides(scope) !== hides(authority.scope)) throw new ApiError("cursor_expired");
    return access;
  };
}

/** What the owner hides: an exclusion ends the streams that it narrows. */
function hides({ streams }: ReadScope): string {
  return JSON.stringify(streams.map(({ never, within }) => [never ?? null, within ?? null]));
}

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

/** One bounded cache for all owners: a miss costs less than a cache that grows with their number. */
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

/** Compiling the expressions of an owner costs more than most requests. */
const MASKERS_MAX = 100;
const maskers = new Map<string, MaskText>();

/**
 * Replaces each label in which the grant masks a value with the name of the source (R82): the owner or an import
 * chooses labels, and they often contain an address.
 */
function hideMaskedLabels(sources: Sources, { streams }: ReadScope): Sources {
  if (streams.every(({ masks }) => masks === undefined)) return sources;
  const hasMasked = ({ connection_id, display_name }: Source) =>
    streams.some(
      (entry) =>
        entry.connection_id === connection_id &&
        entry.masks !== undefined &&
        findMasker(entry.masks)(display_name) !== display_name,
    );
  return new Map(
    [...sources].map(([id, source]) => [
      id,
      hasMasked(source) ? { ...source, display_name: source.manifest.display?.name ?? id } : source,
    ]),
  );
}

function findMasker({ kinds, words, expressions }: MaskRules): MaskText {
  const key = JSON.stringify([kinds, words, expressions]);
  const known = maskers.get(key) ?? createMasker({ kinds, words, expressions }, () => "");
  if (maskers.size >= MASKERS_MAX) maskers.clear();
  maskers.set(key, known);
  return known;
}
