import type { z } from "zod";
import type { ErrorCode } from "../errors/errors.ts";

/** One thing that may be asked: where, with what, by whom, and what comes back. */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** What it does, in one sentence. */
  readonly summary: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** `{name}` stands for the path parameter of that name; the other members of `input` are query parameters. */
  readonly path: string;
  /** Whose token it takes: a client's or the owner's, the owner's alone, or none. */
  readonly kind: "client" | "owner" | "public";
  readonly input: Input;
  /** Members of `input` that travel as headers of that name. */
  readonly headers?: readonly string[];
  /** Other names under which members of `input` are accepted. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** What the request body holds on each of its lines (NDJSON); absent means no body. */
  readonly body_line?: z.ZodType;
  readonly answer: AnswerForm;
  /** The whole answer, or one line of it for `ndjson`. */
  readonly output: Output;
  readonly errors: readonly ErrorCode[];
}

/** How an answer is written: one JSON document, one on each line, raw bytes (with `HEAD` beside `GET`), or nothing. */
export type AnswerForm = "json" | "ndjson" | "bytes" | "empty";

/** Writes an operation down, keeping the types of its input and output. */
export function defineOperation<Input extends z.ZodObject, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  return operation;
}

/** What an operation takes, parsed. */
export type InputOf<O extends Operation> = z.infer<O["input"]>;

/** What an operation answers. */
export type OutputOf<O extends Operation> = z.infer<O["output"]>;
