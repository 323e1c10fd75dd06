import { renderAggregate } from "@rungs/contract";
import { defineRead } from "../reads/read-command.ts";

/** `rungs aggregate`: counts and numbers over granted fields. */
export const aggregateCommand = defineRead({
  operation: "aggregate",
  operands: { stream: "STREAM" },
  render: (answer, asked, { write }) => renderAggregate(answer, asked, write),
});
