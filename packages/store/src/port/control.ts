/** Grants, tokens, program state and the audit log. */
import type { Exclusion, Grant, GrantBudget } from "@rungs/contract";
import type { OwnerQuota } from "./owners.ts";
import type { Connection, StoredRef } from "./records.ts";
import type { CopyStep } from "./upkeep.ts";

/** A grant, and when the owner revoked it. */
export interface StoredGrant {
  readonly grant: Grant;
  readonly revoked_at?: string | undefined;
}

/** An access token. Only the digest of its secret is stored. */
export interface StoredToken {
  /** SHA-256 of the secret: the key that requests are looked up by. */
  readonly digest: string;
  readonly owner_id: string;
  /** `owner` tokens read everything of their owner; `client` tokens read what their grants cover; `writer` tokens only write, to one connection. */
  readonly kind: "owner" | "client" | "writer";
  readonly client_id: string;
  readonly grant_ids: readonly string[];
  readonly created_at: string;
  readonly expires_at?: string | undefined;
  readonly revoked_at?: string | undefined;
  /** The resource that the token was issued for (RFC 8707); any when absent. */
  readonly audience?: string | undefined;
}

/** A token with its stored grants (revoked ones too), and its owner's connections and exclusions. */
export interface Access {
  readonly token: StoredToken;
  readonly grants: readonly StoredGrant[];
  readonly connections: readonly Connection[];
  /** What the owner hides from every client (R81). */
  readonly exclusions: readonly Exclusion[];
  /** What the owner may use at most. */
  readonly quota?: OwnerQuota | undefined;
  /** The version of the owner's writes that a replica must have before it answers under this access. */
  readonly write_version?: number | undefined;
}

/** A rule of the owner; `is_unfinished` while records are still compared with its pattern. */
export type StoredExclusion = Exclusion & { readonly is_unfinished?: boolean };

/** Some records that were compared with a pattern. */
export interface MatchingPage {
  readonly matching: readonly StoredRef[];
  readonly record_count: number;
  /** Where the next page begins; undefined after the last. */
  readonly before?: number | undefined;
}

/** A small value of the program itself: an import checkpoint, a session, a pending authorization request. */
export interface State {
  readonly kind: string;
  readonly id: string;
  /** Any JSON. */
  readonly value: unknown;
  /** Reads ignore the value from this time on. */
  readonly expires_at_ms?: number | undefined;
  /** Groups values that `deleteBundle` deletes together, such as all tokens of one authorization. */
  readonly bundle?: string | undefined;
}

/** The result of changing a shared value. */
export interface SharedValue<R> {
  /** Any JSON; undefined to forget it. */
  readonly value: unknown;
  /** How long it is kept from now on. */
  readonly kept_ms: number;
  /** The return value for the caller. */
  readonly result: R;
}

/** Computes a shared value from the current one, undefined when there is none. It runs alone, and may run again after a failure. */
export type SharedChange<R> = (value: unknown) => SharedValue<R>;

/** One recorded read (R55): identifiers and sizes, never content, never a token. */
export interface AuditEntry {
  readonly at: string;
  readonly request_id: string;
  readonly client_id: string;
  readonly grant_id?: string | undefined;
  readonly operation: string;
  readonly status: number;
  readonly connection_id?: string | undefined;
  readonly stream?: string | undefined;
  readonly record_id?: string | undefined;
  readonly field?: string | undefined;
  /** The code points or bytes that were read of the field. */
  readonly range_start?: number | undefined;
  readonly range_end?: number | undefined;
  /** How many records the answer had. */
  readonly records?: number | undefined;
  readonly bytes: number;
  /**
   * For streams. `begun`: written before the first byte, and listed only while no row says how the stream ended: it is open, or
   * the program was killed. `broken`: it ended before it was complete.
   */
  readonly progress?: "begun" | "ended" | "broken" | undefined;
  /** How many requests the row stands for, if more than one: refusals are combined. */
  readonly requests?: number | undefined;
}

/** What a client asked for on a day (UTC) by one operation, with one outcome. */
export interface AuditDay {
  readonly day: string;
  readonly client_id: string;
  readonly operation: string;
  readonly status: number;
  readonly requests: number;
  readonly records: number;
  readonly bytes: number;
}

/** The result of verifying the audit log. */
export interface AuditCheck {
  /** How many rows follow from one another. */
  readonly row_count: number;
  /** The hash of the last of them: anyone with a copy can later detect whether earlier rows were rewritten. */
  readonly end_hash: string;
  /** The first place where the log was altered. */
  readonly problem?: string | undefined;
}

/** An entry with its id, which rises with time. */
export interface StoredAuditEntry extends AuditEntry {
  readonly audit_id: number;
}

/** Conditions are combined with AND; `before_audit_id` pages backwards. */
export interface AuditFilter {
  readonly grant_id?: string | undefined;
  readonly client_id?: string | undefined;
  /** Leaves the rows of these clients out. */
  readonly except_client_ids?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly before_audit_id?: number | undefined;
  readonly limit: number;
}

/** What was read under a grant: on `day` (a UTC date), and in all. */
export interface GrantUsage {
  readonly day: string;
  readonly day_records: number;
  readonly day_bytes: number;
  readonly records: number;
  readonly bytes: number;
}

/** A read to count against a budget. */
export interface BudgetedRead {
  readonly day: string;
  readonly records: number;
  readonly bytes: number;
}

/** Grants, tokens, exclusions, the audit log, and state of the program. */
export interface ControlStore {
  putGrant(owner_id: string, grant: Grant): Promise<void>;
  listGrants(owner_id: string): Promise<StoredGrant[]>;
  getGrant(owner_id: string, grant_id: string): Promise<StoredGrant | undefined>;
  /** Revokes a grant; its row stays as a tombstone (R52). False when there is none or it was revoked before. */
  revokeGrant(owner_id: string, grant_id: string, at: string): Promise<boolean>;
  /** Replaces a grant that is still as `was`; false when it was changed or revoked meanwhile. */
  replaceGrant(owner_id: string, was: Grant, grant: Grant): Promise<boolean>;
  /** Counts a read if the budget has room for it; says what is used either way. Atomic, even across servers. */
  spendBudget(
    owner_id: string,
    grant_id: string,
    budget: GrantBudget,
    read: BudgetedRead,
  ): Promise<{ is_spent: boolean; usage: GrantUsage }>;
  /** What was read under a grant that has a budget, on a UTC date and in all. */
  getUsage(owner_id: string, grant_id: string, day: string): Promise<GrantUsage>;
  /**
   * Adds a rule that hides records from every client, or replaces the one of the same id. Clients that follow changes start
   * over. Reads under a rule by pattern throw `rule_unfinished` until `tagMatching` has tagged the records that match.
   */
  putExclusion(owner_id: string, exclusion: Exclusion): Promise<void>;
  /** All exclusions of an owner, by id. */
  listExclusions(owner_id: string): Promise<StoredExclusion[]>;
  /**
   * Folds values that an older version wrote, and compares the next records with an unfinished rule by pattern. Later
   * writes are tagged at write time.
   */
  tagMatching(owner_id: string): Promise<CopyStep>;
  /** A page of the records that a pattern would hide, newest first. Continues below the document `before`. */
  findMatching(owner_id: string, hides: Exclusion["hides"], before?: number): Promise<MatchingPage>;
  /** Removes an exclusion; false when there is none. Clients that follow changes start over. */
  deleteExclusion(owner_id: string, rule_id: string): Promise<boolean>;
  /** Stores a token, and deletes the owner's tokens that ended more than 30 days ago. */
  putToken(token: StoredToken): Promise<void>;
  /** All stored tokens, including ended ones, newest first. */
  listTokens(owner_id: string): Promise<StoredToken[]>;
  findToken(digest: string): Promise<StoredToken | undefined>;
  /** A token with everything that a request under it needs, read in one statement. */
  findAccess(digest: string): Promise<Access | undefined>;
  /** Revokes a token; false when it is unknown or was revoked before. */
  revokeToken(owner_id: string, digest: string, at: string): Promise<boolean>;
  appendAudit(owner_id: string, rows: readonly AuditEntry[]): Promise<void>;
  /** Newest first. */
  listAudit(owner_id: string, filter: AuditFilter): Promise<StoredAuditEntry[]>;
  /** The requests whose rows were written from one time until before another, by day, client, operation and status. */
  summarizeAudit(owner_id: string, since_ms: number, until_ms?: number): Promise<AuditDay[]>;
  /** Verifies that no row of the audit log was changed or removed, except by `expireAudit`. */
  checkAudit(owner_id: string): Promise<AuditCheck>;
  /** Deletes the rows of the audit log that were written before a time; returns how many. */
  expireAudit(owner_id: string, before_ms: number): Promise<number>;

  /** Stores a value, replacing the one of the same kind and id. */
  putState(owner_id: string, state: State): Promise<void>;
  /** Undefined when there is none or it has expired. */
  getState(owner_id: string, kind: string, id: string): Promise<State | undefined>;
  /** All values of a kind, by id. */
  listState(owner_id: string, kind: string): Promise<State[]>;
  /** Reads and deletes a value atomically: of concurrent callers, one gets it. */
  takeState(owner_id: string, kind: string, id: string): Promise<State | undefined>;
  deleteState(owner_id: string, kind: string, id: string): Promise<void>;
  /** Uses up a key, such as a one-time proof: of all callers on all processes, only the first gets true until it expires. Waits for no writer. */
  claimOnce(owner_id: string, key: string, expires_at_ms: number): Promise<boolean>;
  /**
   * Changes a value that all servers of the database share, such as what is left of a rate limit; callers take turns. On SQLite, which one
   * server has for itself, such values are in memory. They may be lost in a crash.
   */
  changeShared<R>(owner_id: string, name: string, change: SharedChange<R>): Promise<R>;
  /** All values of a bundle (`State.bundle`) that have not expired. */
  listBundle(owner_id: string, bundle: string): Promise<State[]>;
  /** Deletes all values of a bundle. */
  deleteBundle(owner_id: string, bundle: string): Promise<void>;
}
