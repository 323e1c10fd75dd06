/** An expected refusal: a coded answer to a caller, never a bug. The registry of codes is in the contract. */
export class CodedError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly details: CodedErrorDetails;

  constructor(code: Code, details: CodedErrorDetails = {}) {
    super(details.message ?? code);
    this.name = "Refusal";
    this.code = code;
    this.details = details;
  }
}

/** What a refusal may say. Nothing of a record's content belongs here. */
export interface CodedErrorDetails {
  /** Says what was wrong and where, in one sentence; the registry has a general one. */
  readonly message?: string;
  /** The input that was wrong: a parameter name, a path in a document. */
  readonly param?: string;
  /** Further facts for machines: the record and field concerned, the connections to choose from. */
  readonly [fact: string]: unknown;
}
