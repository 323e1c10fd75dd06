import { renderSchema } from "@rungs/contract";
import { defineRead } from "../reads/read-command.ts";

/** `rungs schema`: what the grant lets its holder ask. */
export const schemaCommand = defineRead({
  operation: "schema",
  operands: { stream: "[STREAM]" },
  render: (answer, _, { write }) => renderSchema(answer, write),
});
