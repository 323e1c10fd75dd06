/** An expected error with a code, answered to the caller; never a bug. The contract has the registry of codes. */
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

/** Details of an error. They never contain record data. */
export interface CodedErrorDetails {
  /** What was wrong and where, in one sentence; by default, the registry's message. */
  readonly message?: string;
  /** The input that was wrong: a parameter name, a path in a document. */
  readonly param?: string;
  /** Further facts for machines: the record and field concerned, the connections to choose from. */
  readonly [fact: string]: unknown;
}
