import { requireScope } from "../records/target.ts";
import { describeGranted } from "../schema/granted-stream.ts";
import type { Handler } from "./handler.ts";

/** `schema`: what this grant lets its holder ask. */
export const handleSchema: Handler<"schema"> = async ({ settings, authority, input }) => {
  const { stream, connection_id } = input;
  const isWhole = stream === undefined && connection_id === undefined;
  const scope = isWhole ? authority.scope : requireScope(authority, { stream, connection_id });
  const facts = await settings.store.describeStreams(scope);
  const sizes = await settings.store.describeSizes(scope);
  const streams = facts.map((each) => describeGranted(each, sizes, scope, authority.sources));
  return { kind: "json", body: { object: "schema", streams }, reads: [{ stream, connection_id }] };
};
