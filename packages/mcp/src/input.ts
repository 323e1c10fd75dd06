import { ApiError, plainMessages } from "@rungs/contract";
import type { z } from "zod";

/** Reads a tool's arguments, or refuses with `invalid_request`, naming the argument. */
export function requireToolInput<Input extends z.ZodObject>(schema: Input, args: unknown): z.infer<Input> {
  const parsed = schema.safeParse(args ?? {}, plainMessages);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const isUnknown = issue.code === "unrecognized_keys";
  const param = String((isUnknown ? issue.keys[0] : issue.path[0]) ?? "arguments");
  const problem = isUnknown ? "is not an argument of this tool" : issue.message;
  throw new ApiError("invalid_request", {
    param,
    message: `${param}: ${problem}.`,
    next: `Call the tool again with ${param} corrected; its inputSchema says what it takes.`,
  });
}
