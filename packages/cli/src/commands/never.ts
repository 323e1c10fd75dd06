/** `rungs never …`: what no client reads, whatever its grant allows (R81). */
import { type Exclusion, parseCondition } from "@rungs/contract";
import {
  addExclusion,
  type HiddenStream,
  listExclusions,
  previewExclusion,
  removeExclusion,
  renderExclusion,
} from "@rungs/server";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { renderTable } from "../command/table.ts";
import { requireWholeId } from "../grants/explanation.ts";
import { asOwner, readAsOwner } from "../home/database.ts";

const options = {
  person: {
    type: "string",
    value: "PERSON",
    about: "every record with this address, name or @domain in a field to select by",
  },
  where: {
    type: "string",
    value: "CONDITION",
    about: `every record with a value, such as 'labels includes "private"'`,
  },
  record: { type: "string", value: "ID", about: "one record" },
  in: { type: "string", value: "CONNECTION[/STREAM]", about: "with --where: only there" },
} as const satisfies Command["options"];

/** `rungs never add`: hides data from every client from the next request on. */
export const neverAdd: Command = {
  options: { ...options, note: { type: "string", value: "TEXT", about: "a note to yourself" } },
  async run(call) {
    const hides = requireHidden(call);
    const { rule, hidden } = await asOwner(call, async (owner) => ({
      rule: await addExclusion(owner, hides, call.option("note")),
      hidden: await previewExclusion(owner, hides),
    }));
    if (call.flag("json")) call.io.out(JSON.stringify({ rule, hidden }));
    else call.io.out(`${rule.rule_id}: ${renderExclusion(rule)}\n${renderHidden(hidden)}`);
    return Exit.done;
  },
};

/** `rungs never preview`: what a rule would hide, without adding it. */
export const neverPreview: Command = {
  options,
  async run(call) {
    const hidden = await asOwner(call, (owner) => previewExclusion(owner, requireHidden(call)));
    call.io.out(call.flag("json") ? JSON.stringify({ hidden }) : renderHidden(hidden));
    return Exit.done;
  },
};

/** `rungs never list`: every rule. */
export const neverList: Command = {
  async run(call) {
    const rules = await readAsOwner(call, listExclusions);
    const rows = rules.map((rule) => [rule.rule_id, renderExclusion(rule), rule.created_at, rule.note ?? ""]);
    if (call.flag("json")) call.io.out(JSON.stringify({ rules }));
    else call.io.out(renderTable(["RULE", "HIDES", "SINCE", "NOTE"], rows));
    return Exit.done;
  },
};

/** `rungs never remove`: grants decide again about what a rule hid. */
export const neverRemove: Command = {
  async run(call) {
    const [rule_id = ""] = call.operands;
    await asOwner(call, (owner) => removeExclusion(owner, rule_id));
    call.io.out(call.flag("json") ? JSON.stringify({ rule_id, removed: true }) : `${rule_id} is removed.`);
    return Exit.done;
  },
};

function requireHidden({ option }: CommandCall): Exclusion["hides"] {
  const [person, where, record] = [option("person"), option("where"), option("record")];
  if ([person, where, record].filter((each) => each !== undefined).length !== 1)
    throw new UsageError("Give one of --person, --where and --record.");
  if (person !== undefined) return { kind: "person", person };
  if (record !== undefined) return { kind: "record", ...requireWholeId(record) };
  const [connection_id, stream] = option("in")?.split("/") ?? [];
  return {
    kind: "value",
    condition: parseCondition(where ?? ""),
    ...(connection_id === undefined ? {} : { connection_id }),
    ...(stream === undefined ? {} : { stream }),
  };
}

function renderHidden(hidden: readonly HiddenStream[]): string {
  if (hidden.length === 0) return "It hides no record that is here now.";
  const rows = hidden.map(({ connection_id, stream, hidden_count, record_count }) => [
    `${connection_id}/${stream}`,
    `${hidden_count} of ${record_count}`,
  ]);
  return renderTable(["STREAM", "HIDDEN"], rows);
}
