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
  /** Whether this is for a replica. Otherwise every new connection must be to the primary: a replica does not know what was revoked just now. */
  readonly is_replica?: boolean;
}

/** A connection pool; pools that share a list of servers move on together. */
export function createPool(
  address: string | ServerList,
  { max, role, is_replica = false }: PoolSettings,
): ServerPool {
  const servers = typeof address === "string" ? new ServerList(address) : address;
  // A replica that was promoted answers right, but of several servers another one may be a replica.
  const isEitherFit = is_replica && servers.count === 1;
  const settings: pg.PoolConfig = {
    types: typeParsers,
    max,
    keepAlive: true,
    ...(role === undefined ? {} : { options: `-c role=${escapeOption(role)}` }),
    pipeline: true,
    ...(isEitherFit ? {} : { verify: createCheck(is_replica) }),
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

  /** A connection to the current server, or to the next one that has what this pool needs. */
  async connectAny(): Promise<pg.PoolClient> {
    let failure: unknown;
    for (let left = this.servers.count; left > 0; left -= 1) {
      const server = this.servers.current;
      try {
        return await this.connect();
      } catch (error) {
        this.servers.leave(server);
        // The error of the right server says more than that the others are not it.
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

/** A server that is a replica and should be the primary, or the other way round. */
class OtherKindError extends Error {
  /** `cannot_connect_now`: the request may be tried again. */
  readonly code = "57P03";
}

/** Creates the check of each new connection. */
function createCheck(is_replica: boolean): NonNullable<pg.PoolConfig["verify"]> {
  const question = { text: "SELECT pg_is_in_recovery() AS is_replica", query_timeout: CONNECT_MS };
  const failure = () => new OtherKindError(`The server is ${is_replica ? "no" : "a"} replica.`);
  return (client, done) => {
    client
      .query<{ is_replica: boolean }>(question)
      .then(({ rows }) => done(rows[0]?.is_replica === is_replica ? undefined : failure()), done);
  };
}

/** Options are separated by spaces, unless a backslash is before one (libpq, `options`). */
function escapeOption(value: string): string {
  return value.replaceAll(/[\\ ]/g, "\\$&");
}
