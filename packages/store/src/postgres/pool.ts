import pg from "pg";
import { ServerList } from "./server-list.ts";

const INT8 = 20;
const NUMERIC = 1700;
/** The driver returns `count` and `sum` as text; all our numbers are exact as JavaScript numbers. */
const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    return oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as "text");
  },
};

/** How long a server may take to accept a connection, and to say what it is. */
const CONNECT_MS = 5_000;

interface PoolSettings {
  readonly max: number;
  /** The role that each connection works under; by default that of the URL. Poolers may ignore it: transactions set it again (`owner-pool.ts`). */
  readonly role?: string | undefined;
  /**
   * For a replica: the name of the database that it must be a copy of (`nameDatabase`). Otherwise every new connection must be to the primary:
   * a replica does not know what was revoked just now.
   */
  readonly replica_of?: string | undefined;
}

/** A connection pool; pools that share a list of servers fail over together. */
export function createPool(
  address: string | ServerList,
  { max, role, replica_of }: PoolSettings,
): ServerPool {
  const servers = typeof address === "string" ? new ServerList(address) : address;
  const settings: pg.PoolConfig = {
    types: typeParsers,
    max,
    keepAlive: true,
    ...(role === undefined ? {} : { options: `-c role=${escapeOption(role)}` }),
    pipeline: true,
    verify: replica_of === undefined ? createPrimaryCheck() : createReplicaCheck(servers, replica_of),
  };
  const pool = new ServerPool(servers, settings);
  // The pool replaces a connection that dies while idle; one that dies in use fails its next query.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Connections to the first server of a list that takes them. */
export class ServerPool extends pg.Pool {
  readonly servers: ServerList;
  readonly #open = new Set<pg.PoolClient>();

  constructor(servers: ServerList, settings: pg.PoolConfig) {
    super({ ...settings, Client: createClient(servers) });
    this.servers = servers;
    this.on("connect", (client) => this.#open.add(client));
    this.on("remove", (client) => this.#open.delete(client));
  }

  /** A connection to the current server, or to the next suitable one. */
  async connectAny(): Promise<pg.PoolClient> {
    let failure: unknown;
    for (let left = this.servers.count; left > 0; left -= 1) {
      const server = this.servers.current;
      try {
        return await this.connect();
      } catch (error) {
        this.servers.leave(server);
        // Prefer the error of the right server to "wrong server" from the others.
        if (failure === undefined || !(error instanceof OtherKindError)) failure = error;
      }
    }
    throw failure;
  }

  /** Breaks all connections, so that nobody waits for a server that no longer answers. */
  drop(): void {
    for (const { connection } of this.#open) connection.stream.destroy();
  }
}

/** A client of the server that is the current one when the pool needs a connection. */
function createClient(servers: ServerList): NonNullable<pg.PoolConfig["Client"]> {
  return class extends pg.Client {
    constructor(settings?: pg.ClientConfig) {
      super({ ...settings, connectionString: servers.current, connectionTimeoutMillis: CONNECT_MS });
    }
  };
}

/** The error for a replica that should be the primary, or vice versa. */
class OtherKindError extends Error {
  /** `cannot_connect_now`: the request may be tried again. */
  readonly code = "57P03";
}

/** The error for a replica of a different database. */
export class ForeignServerError extends Error {}

/** A physical copy has its primary's system identifier and numbers of databases; a copy by any other means does not. */
const DATABASE_NAME = `(SELECT system_identifier FROM pg_control_system()) || '/' ||
  (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** A name shared by a database and its replicas, and by no other database. */
export async function nameDatabase(pool: ServerPool): Promise<string> {
  const client = await pool.connectAny();
  try {
    const { rows } = await client.query<{ name: string }>(`SELECT ${DATABASE_NAME} AS name`);
    return rows[0]?.name ?? "";
  } finally {
    client.release();
  }
}

type Check = NonNullable<pg.PoolConfig["verify"]>;

function createPrimaryCheck(): Check {
  return createCheck<{ is_replica: boolean }>("pg_is_in_recovery() AS is_replica", ({ is_replica }) =>
    is_replica ? new OtherKindError("The server is a replica.") : undefined,
  );
}

function createReplicaCheck(servers: ServerList, replica_of: string): Check {
  const columns = `pg_is_in_recovery() AS is_replica, ${DATABASE_NAME} AS name`;
  return createCheck<{ is_replica: boolean; name: string }>(columns, ({ is_replica, name }) => {
    if (name !== replica_of) return new ForeignServerError("The server is not a replica of the database.");
    // A promoted replica passes, but among several servers another may be a replica.
    return is_replica || servers.count === 1 ? undefined : new OtherKindError("The server is not a replica.");
  });
}

/** Creates the check of each new connection: its query, and the verdict on the answer. */
function createCheck<R extends object>(columns: string, judge: (row: R) => Error | undefined): Check {
  const question = { text: `SELECT ${columns}`, query_timeout: CONNECT_MS };
  return (client, done) => {
    client
      .query<R>(question)
      .then(({ rows }) => judge(rows[0] as R))
      .then(done, done);
  };
}

/** Options are separated by spaces, unless a backslash is before one (libpq, `options`). */
function escapeOption(value: string): string {
  return value.replaceAll(/[\\ ]/g, "\\$&");
}
