import { ApiError } from "@rungs/contract";

/** A failure with a message for people, which quotes nothing of the document. */
export class Unreadable extends Error {}

/** By the name of the error that pdf.js throws. */
const reasons: Readonly<Record<string, string>> = {
  PasswordException: "It is protected by a password.",
  InvalidPDFException: "It is not a valid PDF.",
  RangeError: "It nests too deep or grows too large.",
};

/** Explains why a document could not be read. Messages of libraries are dropped: they may quote the document. */
export function explainUnreadable(error: unknown): string {
  if (error instanceof Unreadable || (error instanceof ApiError && error.code === "file_unreadable"))
    return error.message;
  return (error instanceof Error && reasons[error.name]) || "It is broken and no text could be read from it.";
}
