import { ApiError } from "@rungs/contract";
import { requireStream } from "../records/target.ts";
import { describeDeclaration } from "../schema/stream-declaration.ts";
import { summarizeStream } from "../schema/stream-summary.ts";
import type { Handler } from "./handler.ts";

/** `get_stream`: what a stream's declaration says, as far as it is granted. */
export const handleGetStream: Handler<"get_stream"> = async ({ settings, authority, input }) => {
  const target = requireStream(authority, input);
  const [facts] = await settings.store.describeStreams(target.scope);
  if (!facts) throw new ApiError("not_found", { param: "stream" });
  const { connection_id, stream } = target;
  return {
    kind: "json",
    body: { ...summarizeStream(facts, authority.sources), ...describeDeclaration(target, authority.scope) },
    reads: [{ connection_id, stream }],
  };
};
