import { ApiError } from "@rungs/contract";

/** Database failures that are not bugs: how the engines report them, and what they mean. */
interface Fault {
  /** Error codes of Node and of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
  readonly code: RegExp;
  /** Primary result codes of SQLite (https://sqlite.org/rescode.html). */
  readonly errcodes: readonly number[];
  /** Replaces the registry's default message. */
  readonly words?: { readonly message: string; readonly next: string };
}

const faults: readonly Fault[] = [
  {
    code: /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ENOENT|EAI_AGAIN|08\w{3}|57P0[1-5]|53300|25P03)$/,
    errcodes: [5, 6, 14],
  },
  {
    // Whoever PostgreSQL ends in a conflict or a deadlock has written nothing.
    code: /^(?:40001|40P01)$/,
    errcodes: [],
    words: {
      message: "The database ended the request, since others used the same tables at the same time.",
      next: "Send it again.",
    },
  },
  {
    code: /^(?:ENOSPC|EDQUOT|53100)$/,
    errcodes: [13],
    words: {
      message: "The disk of the database is full.",
      next: "The owner has to free some space; what was stored is not lost.",
    },
  },
  {
    code: /^(?:EROFS|EACCES|EPERM|25006)$/,
    errcodes: [8],
    words: {
      message: "The database cannot be written.",
      next: "The owner has to make its disk and its files writable again.",
    },
  },
  {
    code: /^(?:EIO|EFBIG|58030)$/,
    errcodes: [10],
    words: {
      message: "The disk of the database fails.",
      next: "Try again shortly; the owner finds more with rungs doctor.",
    },
  },
  {
    code: /^XX00[12]$/,
    errcodes: [11, 26],
    words: {
      message: "The database is damaged.",
      next: "The owner finds more with rungs doctor, and puts the last backup in its place.",
    },
  },
];

/** Messages of the PostgreSQL driver for a lost connection, which carry no code. */
const LOST =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Query read timeout)/;

/** Turns a database failure into `database_unavailable`; returns anything else unchanged. */
export function toOutageError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const { code = "", errcode } = thrown as Error & { code?: unknown; errcode?: number };
  const fault = faults.find(
    (each) =>
      each.code.test(String(code)) || (errcode !== undefined && each.errcodes.includes(errcode & 0xff)),
  );
  if (fault) return new ApiError("database_unavailable", fault.words);
  return LOST.test(thrown.message) ? new ApiError("database_unavailable") : thrown;
}
