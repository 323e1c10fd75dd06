/** `rungs never …`: what no client reads, whatever its grant allows (R81). */
import { type Exclusion, parseCondition } from "@rungs/contract";
import { expressionSchema } from "@rungs/evidence";
import {
  addExclusion,
  countHidden,
  type ExclusionPreview,
  finishExclusions,
  listExclusions,
  previewExclusion,
  removeExclusion,
  renderExclusion,
} from "@rungs/server";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { createProgress } from "../command/progress.ts";
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
  pattern: {
    type: "string",
    value: "EXPRESSION",
    about: "every record with a text that this RE2 expression matches, such as '(?i)oncolog\\w+'",
  },
  field: { type: "string", value: "FIELD", about: "with --pattern: only in this field" },
  in: { type: "string", value: "CONNECTION[/STREAM]", about: "with --where and --pattern: only there" },
} as const satisfies Command["options"];

/** `rungs never add`: hides data from every client from the next request on. */
export const neverAdd: Command = {
  options: { ...options, note: { type: "string", value: "TEXT", about: "a note to yourself" } },
  async run(call) {
    const hides = requireHidden(call);
    const progress = createProgress(call, (count) => `Compared ${count} records …`);
    const { rule, hidden } = await asOwner(call, async (owner) => {
      const added = await addExclusion(owner, hides, call.option("note"));
      await finishExclusions(owner, progress.show);
      return { rule: added, hidden: await countHidden(owner, added) };
    });
    progress.done();
    if (call.flag("json")) call.io.out(JSON.stringify({ rule, hidden }));
    else call.io.out(`${rule.rule_id}: ${renderExclusion(rule)}\n${renderHidden({ hidden })}`);
    return Exit.done;
  },
};

/** `rungs never preview`: what a rule would hide, without adding it. */
export const neverPreview: Command = {
  options,
  async run(call) {
    const progress = createProgress(call, (count) => `Compared ${count} records …`);
    const preview = await asOwner(call, (owner) =>
      previewExclusion(owner, requireHidden(call), { watch: progress.show }),
    );
    progress.done();
    call.io.out(call.flag("json") ? JSON.stringify(preview) : renderHidden(preview));
    return Exit.done;
  },
};

/** `rungs never list`: every rule. */
export const neverList: Command = {
  async run(call) {
    const rules = await readAsOwner(call, listExclusions);
    const rows = rules.map((rule) => [
      rule.rule_id,
      `${renderExclusion(rule)}${rule.is_unfinished ? " (still being applied)" : ""}`,
      rule.created_at,
      rule.note ?? "",
    ]);
    if (call.flag("json")) call.io.out(JSON.stringify({ rules }));
    else call.io.out(renderTable(["RULE", "HIDES", "SINCE", "NOTE"], rows));
    return Exit.done;
  },
};

/** `rungs never remove`: what the rule hid is again up to the grants. */
export const neverRemove: Command = {
  async run(call) {
    const [rule_id = ""] = call.operands;
    await asOwner(call, (owner) => removeExclusion(owner, rule_id));
    call.io.out(call.flag("json") ? JSON.stringify({ rule_id, removed: true }) : `${rule_id} is removed.`);
    return Exit.done;
  },
};

function requireHidden({ option }: CommandCall): Exclusion["hides"] {
  const given = (["person", "where", "record", "pattern"] as const).filter(
    (name) => option(name) !== undefined,
  );
  const [kind, ...others] = given;
  if (kind === undefined || others.length > 0)
    throw new UsageError("Give one of --person, --where, --record and --pattern.");
  const text = option(kind) ?? "";
  const field = option("field");
  if (field !== undefined && kind !== "pattern") throw new UsageError("--field goes with --pattern.");
  const [connection_id, stream] = option("in")?.split("/") ?? [];
  const place = {
    ...(connection_id === undefined ? {} : { connection_id }),
    ...(stream === undefined ? {} : { stream }),
  };
  switch (kind) {
    case "person":
      return { kind, person: text };
    case "record":
      return { kind, ...requireWholeId(text) };
    case "where":
      return { kind: "value", condition: parseCondition(text), ...place };
    case "pattern":
      return { kind, pattern: requirePattern(text), ...(field === undefined ? {} : { field }), ...place };
  }
}

function requirePattern(text: string): string {
  const { error, data = "" } = expressionSchema.safeParse(text);
  if (error) throw new UsageError(`--pattern ${error.issues[0]?.message ?? "is not an RE2 expression"}.`);
  return data;
}

function renderHidden({ hidden, compared_count }: ExclusionPreview): string {
  const partly =
    compared_count === undefined
      ? ""
      : `\nOf the newest ${compared_count} records; it may hide older ones too.`;
  if (hidden.length === 0) return `It hides no record that is here now.${partly}`;
  const rows = hidden.map(({ connection_id, stream, hidden_count, record_count }) => [
    `${connection_id}/${stream}`,
    `${hidden_count} of ${record_count}`,
  ]);
  return `${renderTable(["STREAM", "HIDDEN"], rows)}${partly}`;
}
