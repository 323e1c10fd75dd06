/** Signals between the servers of a database. */

/**
 * What one server tells the others, and itself. A signal may be lost, such as while a connection is re-established, and may
 * come for no reason: whoever waits for one also looks from time to time. On SQLite only this process hears it.
 */
export interface SignalStore {
  /** Tells every server that listens to a topic. Topics pass through the database in the clear: no secrets, no content. */
  tellServers(topic: string): void;
  /** Calls `wake` whenever another server, or this one, tells a topic; returns a function that stops that. */
  onTold(topic: string, wake: () => void): () => void;
  /** Calls `wake` soon after something of an owner was written, by any program that uses the database. */
  onWrite(owner_id: string, wake: () => void): Promise<() => void>;
}
