/** Random scopes, queries and filters for the differential test. */
import { parseTimeMs, type ReadScope, type StreamScope, type StreamShape } from "@rungs/contract";
import { CodedError, parseFieldPath, type Query, requireQuery } from "@rungs/evidence";
import type { AggregateRequest, ListRequest, ScalarFilter, StreamFilters } from "@rungs/store";
import type { Random } from "../random.ts";
import type { Oracle } from "./oracle.ts";
import { searchableTexts } from "./oracle-clauses.ts";
import { randomConditions } from "./random-conditions.ts";
import { randomText, randomTime, randomWord } from "./random-data.ts";

export const CONNECTIONS = ["mail", "work"];
export const STREAMS = ["messages", "labels", "events", "meters", "files", "marks"];

/** Covers some streams, some fields, some time, some records, some values. */
export function randomScope(random: Random, oracle: Oracle, owner_id: string): ReadScope {
  const streams: StreamScope[] = [];
  for (const connection_id of CONNECTIONS) {
    for (const stream of STREAMS) {
      if (!random.chance(stream === "messages" ? 0.7 : 0.3)) continue;
      const names = oracle.shapeOf(stream).fields.map(({ name }) => name);
      const fields = random.chance(0.4) ? names : random.some(names, 0.6);
      streams.push({
        connection_id,
        stream,
        fields,
        ...randomTimes(random),
        ...randomIds(random, oracle, owner_id),
        ...randomConditions(random, oracle, owner_id, stream),
        ...randomParents(random, oracle, owner_id, stream),
      });
    }
  }
  return { owner_id, streams };
}

/** Limits on the parents of a stream's records. */
function randomParents(
  random: Random,
  oracle: Oracle,
  owner_id: string,
  stream: string,
): Pick<StreamScope, "within"> {
  const within = oracle.shapeOf(stream).parents.flatMap(({ stream: parent, foreign_key }) => {
    const limits = {
      ...randomTimes(random),
      ...randomIds(random, oracle, owner_id),
      ...randomConditions(random, oracle, owner_id, parent),
      ...randomParents(random, oracle, owner_id, parent),
    };
    return random.chance(0.3) || Object.keys(limits).length === 0
      ? []
      : [{ stream: parent, foreign_key, ...limits }];
  });
  return within.length === 0 ? {} : { within };
}

function randomTimes(random: Random): Pick<StreamScope, "time"> {
  if (random.chance(0.5)) return {};
  const [since_ms, until_ms] = [randomTime(random), randomTime(random)]
    .map((time) => parseTimeMs(time) as number)
    .sort((a, b) => a - b);
  return {
    time: { ...(random.chance(0.7) ? { since_ms } : {}), ...(random.chance(0.7) ? { until_ms } : {}) },
  };
}

function randomIds(random: Random, oracle: Oracle, owner_id: string): Pick<StreamScope, "record_ids"> {
  if (random.chance(0.85)) return {};
  const ids = oracle.recordsOf(owner_id).map(({ ref }) => ref.record_id);
  return { record_ids: [...random.some(ids, random.pick([0.1, 0.5])), "missing"] };
}

/** Words, phrases, prefixes, characters, some of them taken from a record, some missing. */
export function randomQuery(random: Random, oracle: Oracle, owner_id: string): { q: string; query: Query } {
  for (;;) {
    const q = random
      .times(random.pick([1, 1, 1, 2, 2, 3]), () => randomClause(random, oracle, owner_id))
      .join(" ");
    try {
      return { q, query: requireQuery(q) };
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
    }
  }
}

function randomClause(random: Random, oracle: Oracle, owner_id: string): string {
  const word = randomWord(random);
  switch (random.int(0, 9)) {
    case 0:
      return `${Array.from(word).slice(0, random.int(1, 3)).join("")}*`;
    case 1:
      return `"${randomText(random, random.int(1, 3)).replaceAll('"', "")}"`;
    case 2:
      return random.pick(Array.from("東京都大阪に行ガ"));
    case 3:
      return random.pick(["missing", "absent*", '"the missing"', "𠮷"]);
    case 4:
      return random.pick(["lake", "tributary", "granite", "viaduct"]); // Similar to words of the texts.
    case 5:
    case 6:
      return `"${quoteFrom(random, oracle, owner_id)}${random.chance(0.2) ? "*" : ""}"`;
    case 7:
      return misspell(random, word);
    default:
      return random.chance(0.5) ? word.toUpperCase() : word;
  }
}

/** The word with a letter dropped, doubled, swapped with the next or replaced; the first one stays, or is swapped. */
function misspell(random: Random, word: string): string {
  const chars = Array.from(word);
  const at = random.int(0, Math.max(0, chars.length - 2));
  const [one = "", two = ""] = chars.slice(at, at + 2);
  return chars.toSpliced(at, 2, random.pick([one, one + two + two, two + one, `${one}x`])).join("");
}

/** Some characters of some text of some record. */
function quoteFrom(random: Random, oracle: Oracle, owner_id: string): string {
  const records = oracle.recordsOf(owner_id);
  if (records.length === 0) return "the";
  const { ref, data } = random.pick(records);
  const texts = oracle
    .shapeOf(ref.stream)
    .fields.flatMap((field) => searchableTexts(field, data[field.name]));
  if (texts.length === 0) return "the";
  const chars = Array.from(random.pick(texts).text);
  const start = random.int(0, chars.length);
  return chars
    .slice(start, start + random.int(2, 20))
    .join("")
    .replaceAll('"', " ");
}

/** A field that some record of the stream has a text in, at any depth. */
export function randomPath(random: Random, data: Readonly<Record<string, unknown>>): string {
  const paths = [
    "body",
    "note",
    "subject",
    "from.name",
    "parts[0].text",
    "parts[1].text",
    "payload.text",
    "payload",
    "code",
    "missing",
    "detail.lines[0].text",
    "name",
  ];
  const present = paths.filter((path) => Object.hasOwn(data, String(parseFieldPath(path)?.[0])));
  return random.chance(0.9) && present.length > 0 ? random.pick(present) : random.pick(paths);
}

/** Filters over granted fields that can be compared. */
function randomFilters(random: Random, shape: StreamShape, granted: ReadonlySet<string>): ScalarFilter[] {
  const fields = shape.fields.filter(({ name, filterable }) => filterable && granted.has(name));
  if (fields.length === 0 || random.chance(0.5)) return [];
  return random.times(random.pick([1, 1, 2]), () => {
    const field = random.pick(fields);
    const op = random.pick(["=", "!=", "<", "<=", ">", ">="] as const);
    if (field.listed) {
      const value = random.pick<string | number>([
        "the",
        "東京",
        "text",
        "html",
        "x2 ",
        "river_bank",
        1,
        5,
        "",
      ]);
      return { field: field.name, op: random.pick(["=", "!="] as const), value };
    }
    if (field.types.includes("boolean"))
      return { field: field.name, op: random.pick(["=", "!="] as const), value: random.chance(0.5) };
    if (field.types.some((type) => type === "number" || type === "integer")) {
      return { field: field.name, op, value: random.int(-20, 20) / random.pick([1, 2, 4, 10]) };
    }
    if (field.format !== undefined)
      return { field: field.name, op, value: randomTime(random).slice(0, random.pick([10, 30])) };
    return { field: field.name, op, value: random.pick(["red", "k3", "re", "e1", "東", "a", ""]) };
  });
}

/** Filters for some of the streams that a search covers. */
export function randomStreamFilters(random: Random, oracle: Oracle, scope: ReadScope): StreamFilters[] {
  return oracle.cover(scope).map(({ shape, granted, limits }) => ({
    connection_id: limits.connection_id,
    stream: limits.stream,
    filters: randomFilters(random, shape, granted),
  }));
}

export function randomList(
  random: Random,
  shape: StreamShape,
  granted: ReadonlySet<string>,
  connection_id: string,
): ListRequest {
  const sortable = shape.fields
    .filter(({ name, aggregatable }) => aggregatable && granted.has(name))
    .map(({ name }) => name);
  return {
    connection_id,
    stream: shape.name,
    order: random.pick(["asc", "desc"]),
    order_by: random.chance(0.5) && sortable.length > 0 ? random.pick(sortable) : undefined,
    filters: randomFilters(random, shape, granted),
    fields: random.chance(0.2) ? random.some([...granted], 0.5) : undefined,
    limit: random.pick([1, 3, 10, 100]),
  };
}

export function randomAggregate(
  random: Random,
  shape: StreamShape,
  granted: ReadonlySet<string>,
  connection_id: string,
): AggregateRequest {
  const scalars = shape.fields.filter(({ name, aggregatable }) => aggregatable && granted.has(name));
  const numeric = scalars.filter(({ types }) =>
    types.some((type) => type === "number" || type === "integer"),
  );
  const metric = random.pick(["count", "count_distinct", "min", "max", "sum", "avg"] as const);
  const measured = metric === "sum" || metric === "avg" ? numeric : scalars;
  const time = shape.consent_time_field;
  const bucketed = time !== undefined && granted.has(time) && random.chance(0.4);
  return {
    connection_id,
    stream: shape.name,
    ...(metric === "count" || measured.length === 0
      ? { metric: "count" }
      : { metric, field: random.pick(measured).name }),
    group_by: !bucketed && scalars.length > 0 && random.chance(0.6) ? random.pick(scalars).name : undefined,
    time_bucket: bucketed ? random.pick(["day", "month", "year"]) : undefined,
    filters: randomFilters(random, shape, granted),
    limit: random.pick([2, 100]),
  };
}
