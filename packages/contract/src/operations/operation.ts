import type { z } from "zod";
import type { ErrorCode } from "../errors/errors.ts";

/** An operation: its route, input, required token, output and errors. */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** What it does, in one sentence. */
  readonly summary: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `{name}` is a path parameter; the other members of `input` are query parameters. */
  readonly path: string;
  /** Whose token it takes besides the owner's: a client's, a writer's, or nobody's; or it needs none. */
  readonly kind: "client" | "writer" | "owner" | "public";
  readonly input: Input;
  /** Members of `input` that travel as headers of that name. */
  readonly headers?: readonly string[];
  /** Other names under which members of `input` are accepted. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The schema of each line of the request body (NDJSON); absent means no body. */
  readonly body_line?: z.ZodType;
  /** The schema of a JSON body, or `bytes` for a body of any type. */
  readonly body?: z.ZodType | "bytes";
  readonly answer: AnswerForm;
  /** The status of an answer in JSON, if it is not 200. */
  readonly status?: 201 | 202;
  /** The whole answer, or one line of it for `ndjson`. */
  readonly output: Output;
  readonly errors: readonly ErrorCode[];
}

/** The form of an answer: one JSON document, one per line, raw bytes (with `HEAD` besides `GET`), or nothing. */
export type AnswerForm = "json" | "ndjson" | "bytes" | "empty";

/** Identity function that infers the types of an operation's input and output. */
export function defineOperation<Input extends z.ZodObject, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  return operation;
}

/** The parsed input of an operation. */
export type InputOf<O extends Operation> = z.infer<O["input"]>;

/** The output of an operation. */
export type OutputOf<O extends Operation> = z.infer<O["output"]>;
