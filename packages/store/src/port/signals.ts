/** Signals between the servers of a database. */

/**
 * Signals from one server to all, including itself. A signal may get lost, for example during a reconnect, and may be
 * spurious: waiters must also poll. On SQLite, only this process receives it.
 */
export interface SignalStore {
  /**
   * Notifies every server that listens to a topic. Topics pass through the database in the clear: no secrets, no
   * content.
   */
  tellServers(topic: string): void;
  /** Calls `wake` on every signal of a topic, from any server; returns a function that unsubscribes. */
  onTold(topic: string, wake: () => void): () => void;
  /** Calls `wake` soon after something of an owner was written, by any program that uses the database. */
  onWrite(owner_id: string, wake: () => void): Promise<() => void>;
}
