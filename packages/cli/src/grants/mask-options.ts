/** The options of `rungs grant create` that mask values (R82) and limit how much is read (R83). */
import { readFileSync } from "node:fs";
import type { GrantBudget, MaskChoice } from "@rungs/contract";
import { expressionSchema, type MaskKind, maskKindSchema } from "@rungs/evidence";
import type { Command, CommandCall } from "../command/command.ts";
import { UsageError } from "../command/exit.ts";

export const maskOptions = {
  mask: {
    type: "string",
    multiple: true,
    value: "KIND,KIND",
    about: `masks values: ${maskKindSchema.options.join(", ")}, or all`,
  },
  "mask-words": {
    type: "string",
    value: "FILE",
    about: "masks your own words, one on each line; /…/ is an RE2 expression",
  },
  "mask-field": { type: "string", multiple: true, value: "FIELD", about: "masks only in this field" },
  "limit-records": { type: "string", value: "N[/day]", multiple: true, about: "reads at most N records" },
  "limit-bytes": {
    type: "string",
    value: "SIZE[/day]",
    multiple: true,
    about: "reads at most so much, such as 500KB or 20MB/day",
  },
} satisfies Command["options"];

/** What to mask; undefined for nothing. */
export function readMasks({ option, options }: CommandCall): MaskChoice | undefined {
  const kinds = options("mask")
    .flatMap((list) => list.split(","))
    .flatMap(requireKinds);
  const file = option("mask-words");
  const fields = options("mask-field");
  if (kinds.length === 0 && file === undefined) {
    if (fields.length > 0)
      throw new UsageError("--mask-field needs --mask or --mask-words: what to mask in it.");
    return undefined;
  }
  return {
    ...(kinds.length === 0 ? {} : { kinds: [...new Set(kinds)] }),
    ...(file === undefined ? {} : readWords(file)),
    ...(fields.length === 0 ? {} : { fields: [...fields] }),
  };
}

function requireKinds(text: string): readonly MaskKind[] {
  if (text.trim() === "all") return maskKindSchema.options;
  const kind = maskKindSchema.safeParse(text.trim());
  if (kind.success) return [kind.data];
  throw new UsageError(
    `--mask takes ${maskKindSchema.options.join(", ")} or all, not ${text.trim() === "" ? "an empty name" : text}.`,
  );
}

function readWords(file: string): Pick<MaskChoice, "words" | "expressions"> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`${file} cannot be read.`);
  }
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (lines.length === 0) throw new UsageError(`${file} has no words.`);
  const isExpression = (line: string) => line.length > 2 && line.startsWith("/") && line.endsWith("/");
  const expressions = lines.filter(isExpression).map((line) => line.slice(1, -1));
  for (const expression of expressions) {
    const { error } = expressionSchema.safeParse(expression);
    if (error)
      throw new UsageError(
        `${file}: /${expression}/ ${error.issues[0]?.message ?? "is not an RE2 expression"}.`,
      );
  }
  const words = lines.filter((line) => !isExpression(line));
  return {
    ...(words.length === 0 ? {} : { words }),
    ...(expressions.length === 0 ? {} : { expressions }),
  };
}

const UNITS = { "": 1, B: 1, KB: 1_000, MB: 1_000_000, GB: 1_000_000_000 } as const;
const AMOUNT = /^(?<count>[1-9]\d{0,12})(?<unit>B|KB|MB|GB)?(?<day>\/day)?$/i;

/** How much may be read; undefined for no limit. */
export function readBudget({ options }: CommandCall): GrantBudget | undefined {
  const budget: GrantBudget = {};
  for (const name of ["records", "bytes"] as const) {
    for (const text of options(`limit-${name}`)) {
      const { count = "", unit = "", day } = AMOUNT.exec(text)?.groups ?? {};
      const scale = UNITS[unit.toUpperCase() as keyof typeof UNITS];
      if (count === "" || (name === "records" && unit !== ""))
        throw new UsageError(
          `--limit-${name} takes ${name === "records" ? "a number such as 100 or 100/day" : "a size such as 500KB or 20MB/day"}, not ${text}.`,
        );
      const limit = day === undefined ? name : (`${name}_per_day` as const);
      if (budget[limit] !== undefined)
        throw new UsageError(`--limit-${name} is given twice ${day === undefined ? "in all" : "per day"}.`);
      budget[limit] = Number(count) * scale;
    }
  }
  return Object.keys(budget).length === 0 ? undefined : budget;
}
