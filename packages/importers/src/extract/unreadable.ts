/** A document that is not read, for a reason that can be told; its message holds nothing of the document. */
export class Unreadable extends Error {}

/** By the name of the error that pdf.js throws. */
const reasons: Readonly<Record<string, string>> = {
  PasswordException: "It is protected by a password.",
  InvalidPDFException: "It is not a valid PDF.",
  RangeError: "It nests too deep or grows too large.",
};

/** Why a document could not be read. What libraries say is not passed on: it may quote the document. */
export function explainUnreadable(error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  return (error instanceof Error && reasons[error.name]) || "It is broken and no text could be read from it.";
}
