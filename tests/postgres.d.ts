export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}
/** Starts a server that listens on a socket in its own folder; nothing else can reach it. */
export declare function startPostgres(): Promise<TestServer>;
/** Makes an empty database on the server that the test run started. */
export declare function createTestDatabase(): Promise<{
  url: string;
  drop(): Promise<void>;
}>;
