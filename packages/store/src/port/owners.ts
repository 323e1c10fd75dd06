/** Owners: who they are to the administrator of a server, and how much room they have. */
import type { State } from "./control.ts";

/** What an owner may use at most; nothing is limited where a member is missing. */
export interface OwnerQuota {
  readonly records?: number | undefined;
  /** Bytes of records and files together. */
  readonly bytes?: number | undefined;
  /** Requests per minute, over all tokens. */
  readonly requests?: number | undefined;
}

/** How much an owner has stored: records, and the bytes of records and files. */
export interface OwnerUsage {
  readonly records: number;
  readonly bytes: number;
}

/** What the administrator of a server sees of an owner: none of the owner's data. */
export interface OwnerAccount {
  readonly owner_id: string;
  /** Missing for the first owner, who came with the database. */
  readonly created_at?: string | undefined;
  /** Whether the owner may invite, limit and remove others. */
  readonly is_admin: boolean;
  readonly quota: OwnerQuota;
  /** Undefined until something limits or counts it. */
  readonly usage?: OwnerUsage | undefined;
}

/** Owners and their accounts. */
export interface OwnerStore {
  /** Creates the owner if it is new. */
  putOwner(owner_id: string): Promise<void>;
  /**
   * Creates an owner with an account and, in the same transaction, the credentials; false if the name is or was taken:
   * names are never reused.
   */
  addOwner(
    account: Pick<OwnerAccount, "owner_id" | "created_at" | "quota">,
    states?: readonly Pick<State, "kind" | "id" | "value">[],
  ): Promise<boolean>;
  /** Every owner, in the order of their creation. */
  listOwners(): Promise<string[]>;
  /** Every owner as the administrator sees them. */
  listAccounts(): Promise<OwnerAccount[]>;
  getAccount(owner_id: string): Promise<OwnerAccount>;
  /** Changes an account. Counts what the owner has, the first time that something limits it. */
  changeAccount(
    owner_id: string,
    change: Partial<Pick<OwnerAccount, "is_admin" | "quota">>,
  ): Promise<OwnerAccount>;
  /** Counts what the owner has, and keeps the count from then on. */
  countUsage(owner_id: string): Promise<OwnerUsage>;
  /**
   * Deletes an owner with every row: access first, then the data, batch by batch; killed and called again, it continues. The
   * first owner is the database's own and stays.
   */
  removeOwner(owner_id: string): Promise<void>;
  /** The owners with a sync that is not paused. */
  listSyncingOwners(): Promise<string[]>;
}
