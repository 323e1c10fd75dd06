import type { Client } from "@rungs/client";
import {
  type InputOf,
  type Operations,
  type OutputOf,
  operations,
  QUERY_HELP,
  type ReadName,
  type Renderer,
  renderBudgetLeft,
} from "@rungs/contract";
import { type Continuation, parseRecordId } from "@rungs/evidence";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { READ_COMMANDS } from "../command/flags.ts";
import { clientOptions } from "../login/client-access.ts";
import { createOutputFormatter } from "./output-formatter.ts";
import { listOptions, requireArguments } from "./parameters.ts";
import { refuseRead } from "./refusal.ts";
import { withClient } from "./with-client.ts";

/** A read whose answer is rendered as text; `read_blob` writes bytes and has its own command. */
type TextReadName = Exclude<ReadName, "read_blob">;

/** Creates the command of a read operation: the contract has its options and renders its answer. */
export function createReadCommand<Name extends TextReadName>(name: Name): Command {
  const operation = operations[name];
  const shape = { operation, operands: READ_COMMANDS[name].operands };
  return {
    ...(name === "search" && { details: QUERY_HELP }),
    options: { ...listOptions(shape), ...clientOptions },
    async run(call) {
      const asked: Continuation = { operation: name, args: requireArguments(shape, call) };
      try {
        const { answer, left } = await withClient(call, async (client) => ({
          answer: await ask(client, name, asked.args),
          left: client.budget_left,
        }));
        const formatter = createOutputFormatter(call);
        const render = operation.render as Renderer<OutputOf<Operations[Name]>>;
        const text = () => formatter.finish(render(answer, asked, formatter.options));
        call.io.out(call.flag("json") ? JSON.stringify(answer) : text());
        if (left && !call.flag("json")) call.io.out(renderBudgetLeft(left));
        return Exit.done;
      } catch (error) {
        return refuseRead(error, asked, call);
      }
    },
  };
}

function ask<Name extends TextReadName>(client: Client, name: Name, args: Continuation["args"]) {
  // A terminal shows previews; `--view whole` asks for more.
  const preview = "view" in operations[name].input.shape ? { view: "preview" } : {};
  return client.call(name, { ...preview, ...resolveRecord(args) } as InputOf<Operations[Name]>);
}

/** An id includes its connection and stream (R01); a contradiction is refused before any request (R05). */
function resolveRecord({ id, connection_id, ...args }: Continuation["args"]): Record<string, unknown> {
  if (id === undefined) return { ...args, connection_id };
  const ref = parseRecordId(String(id), connection_id === undefined ? undefined : String(connection_id));
  return { ...args, connection_id: ref.connection_id, stream: ref.stream, id: ref.record_id };
}
