/** The account and the shape of the mail servers of tests. */

/** What tests need of a mail server. */
export interface MailServer {
  readonly name: "Dovecot" | "hoodiecrow";
  readonly port: number;
  /** Restarts it; connections break. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** How a server is set up. */
export interface MailServerOptions {
  /** Disables extensions, such as `QRESYNC`, `CONDSTORE`, `IDLE`. */
  readonly without?: readonly string[];
  /** What is in the inbox at the start; Dovecot only. */
  readonly inbox?: Iterable<string>;
}

export const USER = "ada";
export const PASSWORD = "secret-9f2";
