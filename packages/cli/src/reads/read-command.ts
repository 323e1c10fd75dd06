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
import { withClient } from "./connect.ts";
import { createPen } from "./output-formatter.ts";
import { listOptions, type Operands, requireArguments } from "./parameters.ts";
import { refuseRead } from "./refusal.ts";

type ReadName = Exclude<Continuation["operation"], "read_blob">;

/** A command that asks one operation and shows its answer. */
interface Read<Name extends ReadName> {
  readonly operation: Name;
  readonly operands: Operands;
  /** Writes the answer for a person; `asked` is the call that it answers. */
  render(answer: OutputOf<Operations[Name]>, asked: Continuation, options: RenderOptions): string;
}

/** Makes a command of an operation: its options come from the contract, its words from evidence. */
export function defineRead<Name extends ReadName>(read: Read<Name>): Command {
  const { operands, operation: name } = read;
  const operation = operations[name];
  const shape = { operation, operands };
  return {
    options: { ...listOptions(shape), ...clientOptions },
    async run(call) {
      const asked: Continuation = { operation: name, args: requireArguments(shape, call) };
      try {
        const answer = await withClient(call, (client) => ask(client, name, asked.args));
        const pen = createPen(call);
        const text = () => pen.finish(read.render(answer, asked, pen.options));
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

/** An id names its connection and its stream (R01); one that contradicts itself is refused before anything is asked (R05). */
function resolveRecord({ id, connection_id, ...args }: Continuation["args"]): Record<string, unknown> {
  if (id === undefined) return { ...args, connection_id };
  const ref = parseRecordId(String(id), connection_id === undefined ? undefined : String(connection_id));
  return { ...args, connection_id: ref.connection_id, stream: ref.stream, id: ref.record_id };
}
