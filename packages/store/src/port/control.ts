/** Who may read, what the program remembers, and the trail of reads. */
import type { Grant } from "@rungs/contract";
import type { Connection } from "./records.ts";

export interface StoredGrant {
  readonly grant: Grant;
  readonly revoked_at?: string | undefined;
}

export interface StoredToken {
  readonly digest: string;
  readonly owner_id: string;
  readonly kind: "owner" | "client";
  readonly client_id: string;
  readonly grant_ids: readonly string[];
  readonly created_at: string;
  readonly expires_at?: string | undefined;
  readonly revoked_at?: string | undefined;
  /** The resource that the token was made for (RFC 8707); any when left out. */
  readonly audience?: string | undefined;
}

/** A token, those of its grants that there are, and its owner's connections. */
export interface Access {
  readonly token: StoredToken;
  readonly grants: readonly StoredGrant[];
  readonly connections: readonly Connection[];
}

/** Something small that the program itself remembers: an import's checkpoint, a sign-in, an open question of OAuth. */
export interface State {
  readonly kind: string;
  readonly id: string;
  /** Any JSON. */
  readonly value: unknown;
  /** Gone from then on. */
  readonly expires_at_ms?: number | undefined;
  /** What belongs together, to be forgotten at once. */
  readonly bundle?: string | undefined;
}

/** One read. Never content, never a token. */
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
  readonly range_start?: number | undefined;
  readonly range_end?: number | undefined;
  readonly records?: number | undefined;
  readonly bytes: number;
}

export interface StoredAuditEntry extends AuditEntry {
  readonly audit_id: number;
}

export interface AuditFilter {
  readonly grant_id?: string | undefined;
  readonly client_id?: string | undefined;
  readonly since?: string | undefined;
  readonly before_audit_id?: number | undefined;
  readonly limit: number;
}
