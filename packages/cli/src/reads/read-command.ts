import type { Client } from "@rungs/client";
import {
  type InputOf,
  type Operations,
  type OutputOf,
  operations,
  type RenderOptions,
} from "@rungs/contract";
import { type Continuation, parseRecordId } from "@rungs/evidence";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { clientOptions } from "../home/client-access.ts";
import { createOutputFormatter } from "./output-formatter.ts";
import { listOptions, type Operands, requireArguments } from "./parameters.ts";
import { refuseRead } from "./refusal.ts";
import { withClient } from "./with-client.ts";

type ReadName = Exclude<Continuation["operation"], "read_blob">;

/** A command that calls one operation and prints its answer. */
interface Read<Name extends ReadName> {
  readonly operation: Name;
  readonly operands: Operands;
  /** Renders the answer for a person; `asked` is the call that it answers. */
  render(answer: OutputOf<Operations[Name]>, asked: Continuation, options: RenderOptions): string;
}

/** Defines a command for an operation: its options come from the contract, its text from the renderer. */
export function defineRead<Name extends ReadName>(read: Read<Name>): Command {
  const { operands, operation: name } = read;
  const operation = operations[name];
  const shape = { operation, operands };
  return {
    // Computed on use: one file defines all read commands, and each options table takes a JSON Schema to derive.
    get options() {
      return { ...listOptions(shape), ...clientOptions };
    },
    async run(call) {
      const asked: Continuation = { operation: name, args: requireArguments(shape, call) };
      try {
        const answer = await withClient(call, (client) => ask(client, name, asked.args));
        const formatter = createOutputFormatter(call);
        const text = () => formatter.finish(read.render(answer, asked, formatter.options));
        call.io.out(call.flag("json") ? JSON.stringify(answer) : text());
        return Exit.done;
      } catch (error) {
        return refuseRead(error, asked, call);
      }
    },
  };
}

function ask<Name extends ReadName>(client: Client, name: Name, args: Continuation["args"]) {
  return client.call(name, resolveRecord(args) as InputOf<Operations[Name]>);
}

/** An id includes its connection and stream (R01); a contradiction is refused before any request (R05). */
function resolveRecord({ id, connection_id, ...args }: Continuation["args"]): Record<string, unknown> {
  if (id === undefined) return { ...args, connection_id };
  const ref = parseRecordId(String(id), connection_id === undefined ? undefined : String(connection_id));
  return { ...args, connection_id: ref.connection_id, stream: ref.stream, id: ref.record_id };
}
