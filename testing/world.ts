/** A server with data, grants and tokens, ready for requests. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import {
  CONTRACT_VERSION,
  DATA_ACCESS_TYPE,
  type Grant,
  type GrantBudget,
  type Manifest,
  type MaskChoice,
  type RecordEnvelope,
  type StreamRequest,
} from "@rungs/contract";
import {
  copyMaskedRecords,
  createGrant,
  createOwnerToken,
  createServer,
  ensureOwner,
  type LogEntry,
  limits,
  openSealer,
  putConnection,
  type ServerOptions,
} from "@rungs/server";
import type { BlobFacts, Store, StoreOptions } from "@rungs/store";
import { engines, openTestStore } from "./engines.ts";
import { createNote, library } from "./library.ts";

/** A word that is in every record outside the small grant, and nowhere else. */
export const OUTSIDE = "outsidemarker";
/** A word that is in the text of granted records. */
export const INSIDE = "insidemarker";

/** Long enough for several chunks and windows, with characters of every width. */
export const LONG_TEXT = Array.from({ length: 3000 }, (_, at) => `line ${at} ${INSIDE} é 漢字 😀.\n`).join(
  "",
);

export interface World {
  readonly engine: string;
  readonly app: ReturnType<typeof createServer>;
  readonly store: Store;
  /** Opens the same database again, as another server does. */
  openAnother(): Promise<Store>;
  readonly owner_id: string;
  readonly owner: string;
  /** A client's token: notes of `home` without `secret`. */
  readonly client: string;
  readonly grant: Grant;
  readonly blob: BlobFacts;
  readonly logs: LogEntry[];
  readonly clock: { now: number };
  allow(streams: StreamRequest[], options?: AllowOptions): Promise<{ token: string; grant: Grant }>;
  ask(path: string, token?: string, init?: RequestInit): Promise<Response>;
  json<T = Json>(path: string, token?: string, init?: RequestInit): Promise<T>;
  refusal(path: string, token?: string, init?: RequestInit): Promise<Refused>;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are checked against the document elsewhere.
export type Json = any;

interface Refused {
  readonly status: number;
  readonly code: string;
  readonly error: Json;
}

interface AllowOptions {
  readonly client_id?: string;
  readonly access_mode?: "single_use" | "continuous";
  readonly expires_at_ms?: number;
  /** A second source beside the library. */
  readonly source?: Manifest["source"];
  readonly masks?: MaskChoice;
  readonly budget?: GrantBudget;
}

export const GRANTED_FIELDS = [
  "id",
  "title",
  "body",
  "written_at",
  "topic",
  "rating",
  "done",
  "payload",
  "picture",
  "raw",
];

/** Defines the same tests for every engine, each with a new world. */
export function onEveryEngine(
  define: (world: () => World, engine: string) => void,
  options: Partial<ServerOptions> = {},
): void {
  for (const engine of Object.keys(engines)) {
    describe(engine, () => {
      let world: World;
      before(async () => {
        world = await createWorld(engine, options);
      });
      after(() => world?.close());
      define(() => world, engine);
    });
  }
}

/** Opens a world on one engine. */
export async function createWorld(
  engine: string,
  options: Partial<ServerOptions> = {},
  opening?: StoreOptions,
): Promise<World> {
  const opened = await openTestStore(engine, opening);
  const { store } = opened;
  const owner_id = await ensureOwner(store);
  const clock = { now: Date.UTC(2026, 6, 1) };
  const parts = { store, owner_id, now: () => clock.now };
  for (const id of ["home", "work"]) await putConnection(parts, id, library, `Library at ${id}`);
  const blob = await store.putBlob(owner_id, "home", chunk("picture bytes 0123456789"), "text/html");
  for (const connection of ["home", "work"]) {
    const outcomes = await store.ingest(owner_id, connection, listRecords(connection, blob));
    assert.deepEqual(
      outcomes.filter(({ status }) => status !== "added"),
      [],
    );
  }
  const logs: LogEntry[] = [];
  const sealer = await openSealer(store);
  const rate = { burst: 1e9, per_second: 1e9 };
  // Tests leave bodies unread, which stay open: without a socket, nothing signals that the client has gone.
  const share = { ...limits.share, streams: 1e9 };
  const app = createServer({
    store,
    sealer,
    now: () => clock.now,
    log: (entry) => logs.push(entry),
    limits: { rate, share },
    ...options,
  });

  const allow: World["allow"] = async (
    streams,
    { client_id = "agent", access_mode = "continuous", source = library.source, ...rest } = {},
  ) => {
    const created = await createGrant(parts, {
      client: { client_id },
      ...rest,
      details: [
        {
          type: DATA_ACCESS_TYPE,
          source,
          purpose_code: "https://pdpp.dev/purpose/assistance",
          access_mode,
          streams,
        },
      ],
    });
    if (rest.masks) await copyMaskedRecords(parts);
    return created;
  };
  const { token: client, grant } = await allow([
    { name: "notes", instance_ids: ["home"], fields: GRANTED_FIELDS, resources: undefined },
  ]);
  // Some servers of this world use the real clock.
  const owner = await createOwnerToken(parts, Date.parse("2100-01-01T00:00:00Z"));

  const ask: World["ask"] = async (path, token = client, init = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has("PDPP-Version")) headers.set("PDPP-Version", CONTRACT_VERSION);
    if (token !== "") headers.set("Authorization", `Bearer ${token}`);
    return app.request(path, { ...init, headers });
  };
  return {
    engine,
    app,
    store,
    openAnother: opened.openAnother,
    owner_id,
    owner,
    client,
    grant,
    blob,
    logs,
    clock,
    allow,
    ask,
    async json(path, token, init) {
      const answer = await ask(path, token, init);
      const body = (await answer.json()) as Json;
      assert.equal(answer.status, 200, `${path} ${JSON.stringify(body)}`);
      return body;
    },
    async refusal(path, token, init) {
      const answer = await ask(path, token, init);
      const { error } = (await answer.json()) as Json;
      assert.ok(answer.status >= 400, `${path} was answered`);
      assert.equal(error.request_id, answer.headers.get("Request-Id"));
      return { status: answer.status, code: error.code, error };
    },
    close: () => opened.close(),
  };
}

/** Bytes as a stream. */
export async function* chunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Keys that are hard to encode in URLs, paths and text. */
export const ODD_KEYS = [
  "a/b",
  "..",
  "a b,c",
  'say "hi"',
  "😀",
  "%2e%2e",
  "pdpp://record/x",
  "k".repeat(500),
  "café:x",
];

function listRecords(
  connection: string,
  { blob_id, mime_type, size_bytes, sha256 }: BlobFacts,
): RecordEnvelope[] {
  const outside = connection === "home" ? {} : { secret: OUTSIDE };
  const notes = Array.from({ length: 30 }, (_, at) =>
    createNote(`n${at}`, {
      title: `Note ${at} ${connection}`,
      body: connection === "home" ? `The ${INSIDE} tea number ${at}` : `The ${OUTSIDE} tea number ${at}`,
      written_at: new Date(Date.UTC(2026, 0, 1 + at)).toISOString(),
      ...(at >= 10 && at < 20 ? { topic: "teas" } : {}),
      rating: at % 5,
      done: at % 2 === 0,
      secret: OUTSIDE,
      ...outside,
    }),
  );
  const own = [
    createNote("long", {
      title: "Long note",
      body: connection === "home" ? LONG_TEXT : OUTSIDE,
      written_at: "2026-03-01T00:00:00Z",
      secret: OUTSIDE,
    }),
    createNote("json", {
      title: "Json note",
      payload: { parts: [{ text: "first" }, { text: "nested cherry" }, { text: "x".repeat(6000) }] },
    }),
    createNote("picture", {
      title: "Picture",
      picture: { blob_id, mime_type, size_bytes, sha256, filename: "a.png" },
    }),
    createNote("raw", { title: "Raw", raw: Buffer.from("png".repeat(3000)).toString("base64") }),
    createNote("marks", {
      title: "Straße Café",
      body: "Die Straße zum Café, 漢字かな交じり文 and don't stop",
    }),
    ...ODD_KEYS.map((key) => createNote(key, { title: `Odd ${key.length}`, body: `odd ${INSIDE}` })),
  ];
  const shelf: RecordEnvelope = {
    stream: "shelves",
    key: ["attic", "7"],
    emitted_at: "2026-05-01T00:00:00Z",
    data: { room: "attic", number: "7", label: OUTSIDE },
  };
  return [...notes, ...(connection === "home" ? own : own.slice(0, 1)), shelf];
}
