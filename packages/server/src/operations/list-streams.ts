import { createList } from "@rungs/contract";
import { requireScope } from "../records/target.ts";
import { summarizeStream } from "../schema/stream-summary.ts";
import type { Handler } from "./handler.ts";

/** `list_streams`: the streams that are granted. */
export const handleListStreams: Handler<"list_streams"> = async ({ settings, authority, input, path }) => {
  const scope = input.connection_id === undefined ? authority.scope : requireScope(authority, input);
  const facts = await settings.store.describeStreams(scope);
  const data = facts.map((each) => summarizeStream(each, authority.sources));
  return {
    kind: "json",
    body: createList({ url: path, data }),
    reads: [{ connection_id: input.connection_id }],
  };
};
