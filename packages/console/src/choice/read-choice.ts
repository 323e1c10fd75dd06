/** Parses a submitted choice: streams, fields, conditions, times, masks, budget and lifetime. */
import {
  type Condition,
  type ConditionValue,
  type GrantBudget,
  parseCondition,
  renderCondition,
} from "@rungs/contract";
import { type MaskRules, maskKindSchema } from "@rungs/evidence";
import type { ChosenStream, ConsentDecision, GrantableStream, GrantableStreams } from "@rungs/server";
import { nameStream, PACKED_NAME, unpackStreams } from "./chosen-page.ts";

/** What an owner chose, and what they searched for. */
export interface SubmittedChoice {
  readonly decision: ConsentDecision;
  /** The text to find values by, for each stream. */
  readonly finds: ReadonlyMap<string, string>;
  /** The text that the list of streams is filtered by. */
  readonly filter: string;
  /** The page of chosen streams to show; by default, the first. */
  readonly page?: number;
  /** A stream ticked since the last page, which the next page shows. */
  readonly ticked?: string | undefined;
}

/** The names of the form's controls that belong to a stream or a field of it. */
export const formName = {
  pick: (stream: string, field: string) => `pick:${stream}:${field}`,
  mode: (stream: string, field: string) => `mode:${stream}:${field}`,
  show: (stream: string, field: string) => `show:${stream}:${field}`,
  where: (stream: string) => `where:${stream}`,
  find: (stream: string) => `find:${stream}`,
  since: (stream: string) => `since:${stream}`,
  until: (stream: string) => `until:${stream}`,
};

/** The limits of a budget, each with the unit in which people write it. */
export const BUDGET_UNITS = {
  records_per_day: 1,
  records: 1,
  bytes_per_day: 1_000_000,
  bytes: 1_000_000,
} as const satisfies Record<keyof GrantBudget, number>;

/** Parses the form; `offered` lists the available streams and fields. */
export function parseChoiceForm(
  form: URLSearchParams,
  offered: readonly GrantableStreams[],
): SubmittedChoice {
  const kept = unpackStreams(form.get("kept") ?? "");
  const named = readStreamNames(form, offered, kept);
  const streams = offered.flatMap(({ connection_id, streams: all }) =>
    all.flatMap((each) => {
      const name = nameStream({ connection_id, stream: each.stream });
      if (!named.has(name)) return [];
      const controls = kept.get(name);
      return [
        {
          connection_id,
          ...(controls ? readStream(controls, PACKED_NAME, each) : readStream(form, name, each)),
        },
      ];
    }),
  );
  const days = Number(form.get("expires_in_days"));
  const finds = [...named].map((name) => [name, form.get(formName.find(name))?.trim() ?? ""] as const);
  return {
    decision: {
      streams,
      expires_in_days: days > 0 ? days : undefined,
      masks: readMasks(form),
      budget: readBudget(form),
    },
    finds: new Map(finds),
    filter: form.get("filter")?.trim() ?? "",
    ...readPlace(form, streams, kept),
  };
}

/** The page that a button requests, or the current one; and the first newly ticked stream. */
function readPlace(
  form: URLSearchParams,
  streams: readonly ChosenStream[],
  kept: ReadonlyMap<string, URLSearchParams>,
): Pick<SubmittedChoice, "page" | "ticked"> {
  const [, asked] = /^page:(\d+)$/.exec(form.get("do") ?? "") ?? [];
  const page = Number(asked ?? form.get("page")) || 1;
  if (asked !== undefined || !form.has("page")) return { page };
  const before = new Set([...form.getAll("was"), ...kept.keys()]);
  return { page, ticked: streams.map(nameStream).find((name) => !before.has(name)) };
}

/** The ticked streams and those of other pages; a button ticks or unticks those of a connection, all at once. */
function readStreamNames(
  form: URLSearchParams,
  offered: readonly GrantableStreams[],
  kept: ReadonlyMap<string, URLSearchParams>,
): Set<string> {
  const names = new Set([...form.getAll("stream"), ...kept.keys()]);
  const [, which, id] = /^(all|none):(.*)$/.exec(form.get("do") ?? "") ?? [];
  const group = offered.find(({ connection_id }) => connection_id === id);
  for (const { stream } of group?.streams ?? []) {
    if (which === "all") names.add(`${id}/${stream}`);
    else names.delete(`${id}/${stream}`);
  }
  return names;
}

/** Reads a stream from its controls, which are under a name. */
function readStream(
  form: URLSearchParams,
  name: string,
  { stream, fields, selectable }: GrantableStream,
): Omit<ChosenStream, "connection_id"> {
  const states = fields.map((field) => ({
    field: field.name,
    state: form.get(formName.show(name, field.name)) ?? (field.is_private ? "out" : "shown"),
  }));
  const where = [
    ...selectable.flatMap(({ name: field }) => readPicks(form, name, field)),
    ...form.getAll(formName.where(name)).map(parseCondition),
  ];
  return {
    stream,
    fields: states.filter(({ state }) => state !== "out").map(({ field }) => field),
    plain_fields: states.filter(({ state }) => state === "plain").map(({ field }) => field),
    since: readDay(form, formName.since(name)),
    until: readDay(form, formName.until(name)),
    where: where.length === 0 ? undefined : where,
  };
}

/** The controls from which a chosen stream is read again, to be packed. */
export function writeStream(
  { fields, plain_fields = [], since, until, where = [] }: ChosenStream,
  offered: GrantableStream,
): URLSearchParams {
  const name = PACKED_NAME;
  const stateOf = (field: string) =>
    fields.includes(field) ? (plain_fields.includes(field) ? "plain" : "shown") : "out";
  const times = { [formName.since(name)]: since, [formName.until(name)]: until };
  return new URLSearchParams([
    ...offered.fields.map(({ name: field }): [string, string] => [
      formName.show(name, field),
      stateOf(field),
    ]),
    ...where.map((condition): [string, string] => [formName.where(name), renderCondition(condition)]),
    ...Object.entries(times).flatMap(([control, time]): [string, string][] =>
      time === undefined
        ? []
        : [
            [control, time.slice(0, 10)],
            [`${control}_was`, time],
          ],
    ),
  ]);
}

/** The picked values of a field as one condition. */
function readPicks(form: URLSearchParams, stream: string, field: string): Condition[] {
  const values = form.getAll(formName.pick(stream, field)).flatMap((text): ConditionValue[] => {
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === "string" || typeof value === "boolean" ? [value] : [];
    } catch {
      return [];
    }
  });
  const [first] = values;
  if (first === undefined) return [];
  if (form.get(formName.mode(stream, field)) === "not") return [{ field, op: "not_in", values }];
  return [values.length === 1 ? { field, op: "equals", value: first } : { field, op: "in", values }];
}

/** A day means its start in UTC; a time that the form displayed as a day keeps its exact value. */
function readDay(form: URLSearchParams, name: string): string | undefined {
  const day = form.get(name) ?? "";
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const was = form.get(`${name}_was`);
  return was?.slice(0, 10) === day ? was : `${day}T00:00:00.000Z`;
}

/** Kinds of values, and the owner's own words, one a line; `/…/` is an expression. */
function readMasks(form: URLSearchParams): MaskRules | undefined {
  const kinds = form.getAll("mask").flatMap((kind) => maskKindSchema.safeParse(kind).data ?? []);
  const lines = (form.get("words") ?? "")
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const isExpression = (line: string) => line.length > 2 && line.startsWith("/") && line.endsWith("/");
  const expressions = lines.filter(isExpression).map((line) => line.slice(1, -1));
  const words = lines.filter((line) => !isExpression(line));
  if (kinds.length + lines.length === 0) return undefined;
  return {
    ...(kinds.length === 0 ? {} : { kinds }),
    ...(words.length === 0 ? {} : { words }),
    ...(expressions.length === 0 ? {} : { expressions }),
  };
}

function readBudget(form: URLSearchParams): GrantBudget | undefined {
  const limits = Object.entries(BUDGET_UNITS).flatMap(([name, unit]) => {
    const limit = Math.round(Number(form.get(name)) * unit);
    return Number.isSafeInteger(limit) && limit > 0 ? [[name, limit] as const] : [];
  });
  return limits.length === 0 ? undefined : Object.fromEntries(limits);
}
