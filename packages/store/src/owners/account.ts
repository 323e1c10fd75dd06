/** An owner's account, as the column `owners.account` keeps it; null for owners of older versions. */
import { ApiError } from "@rungs/contract";
import type { SqlRow } from "../database.ts";
import { PROGRAM_OWNER } from "../schema.ts";
import type { OwnerAccount } from "../store.ts";

/** The owner that came with the database: its administrator, unless its account says otherwise. */
export const FIRST_OWNER = PROGRAM_OWNER + 1;

/** What an account says beside its owner and the counts; only this folder writes it. */
export type StoredAccount = Pick<OwnerAccount, "created_at" | "is_admin" | "quota">;

export interface UsageRow extends SqlRow {
  record_count: number | null;
  byte_count: number | null;
}

export interface AccountRow extends UsageRow {
  owner: number;
  owner_id: string;
  account: string | null;
}

export const ACCOUNT_COLUMNS = "owner, owner_id, account, record_count, byte_count";

export function parseAccount(owner: number, account: string | null): StoredAccount {
  const stored = account === null ? {} : (JSON.parse(account) as Partial<StoredAccount>);
  return { is_admin: owner === FIRST_OWNER, quota: {}, ...stored };
}

export function toAccount({ owner, owner_id, account, record_count, byte_count }: AccountRow): OwnerAccount {
  const isCounted = record_count !== null && byte_count !== null;
  return {
    owner_id,
    ...parseAccount(owner, account),
    ...(isCounted ? { usage: { records: record_count, bytes: byte_count } } : {}),
  };
}

export function createNoOwner(): ApiError {
  return new ApiError("not_found", {
    message: "There is no such owner.",
    next: "rungs owner list shows the owners of this database.",
  });
}
