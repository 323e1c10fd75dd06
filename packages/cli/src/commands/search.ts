import { renderSearch } from "@rungs/contract";
import { defineRead } from "../reads/read-command.ts";

/** `rungs search`: proven passages, each with the command that reads on (R18). */
export const searchCommand = defineRead({
  operation: "search",
  operands: { q: "QUERY" },
  render: renderSearch,
});
