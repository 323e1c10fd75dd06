/** The answers to every read under a scope, as one text: equal when the scope sees equal data. */
import { ApiError, type ReadScope } from "@rungs/contract";
import type { Query } from "@rungs/evidence";
import type { Random } from "../../../../testing/random.ts";
import type { Oracle } from "../../../../testing/store/oracle.ts";
import {
  randomAggregate,
  randomList,
  randomPath,
  randomQuery,
  randomStreamFilters,
} from "../../../../testing/store/random-questions.ts";
import type {
  AggregateRequest,
  ChangesPage,
  ListRequest,
  SearchRequest,
  Store,
  StoredRef,
} from "../store.ts";

export interface Questions {
  readonly queries: readonly Query[];
  readonly searches: readonly SearchRequest[];
  readonly lists: readonly ListRequest[];
  readonly aggregates: readonly AggregateRequest[];
  readonly fields: readonly { readonly ref: StoredRef; readonly path: string }[];
  readonly since: readonly number[];
}

export function randomQuestions(
  random: Random,
  oracle: Oracle,
  scope: ReadScope,
  since: readonly number[],
): Questions {
  const covered = oracle.cover(scope);
  const records = oracle.recordsOf(scope.owner_id);
  const some = records.length === 0 ? [] : random.times(4, () => random.pick(records));
  return {
    queries: random.times(4, () => randomQuery(random, oracle, scope.owner_id).query),
    searches: random.times(2, () => ({
      query: randomQuery(random, oracle, scope.owner_id).query,
      limit: 20,
      facets: true,
      order: random.pick(["relevance", "newest"] as const),
      filters: randomStreamFilters(random, oracle, scope),
    })),
    lists: covered.map(({ shape, granted, limits }) =>
      randomList(random, shape, granted, limits.connection_id),
    ),
    aggregates: covered.map(({ shape, granted, limits }) =>
      randomAggregate(random, shape, granted, limits.connection_id),
    ),
    fields: some.map(({ ref, data }) => ({ ref, path: randomPath(random, data) })),
    since,
  };
}

function omitHorizon({ changes, next }: ChangesPage): unknown {
  return { changes, next };
}

/** An expected refusal is an answer, too. */
function readCode(error: unknown): unknown {
  if (error instanceof ApiError) return error.code;
  throw error;
}

/** The answers of a store, without the horizon of a session, which counts all of the owner's writes. */
export async function answersOf(store: Store, scope: ReadScope, questions: Questions): Promise<string> {
  const answers: unknown[] = [await store.describeStreams(scope), await store.describeSizes(scope)];
  for (const query of questions.queries) answers.push(await store.search(scope, { query, limit: 20 }));
  for (const request of questions.searches) answers.push(await store.search(scope, request));
  for (const request of questions.lists) {
    answers.push(await store.listRecords(scope, request));
    const { connection_id, stream, fields } = request;
    for (const since of questions.since) {
      const asked = { connection_id, stream, fields, since, limit: 30 };
      answers.push(await store.listChanges(scope, asked).then(omitHorizon, readCode));
    }
  }
  for (const request of questions.aggregates) answers.push(await store.aggregate(scope, request));
  for (const { ref, path } of questions.fields) {
    answers.push(await store.getRecord(scope, ref), await store.locate(scope, ref.stream, ref.record_id));
    answers.push(await store.readThread(scope, ref, { before: 3, after: 3 }));
    answers.push(await store.describeField(scope, ref, path));
    answers.push(await store.readField(scope, ref, path, { start: 0, end: 500 }));
    for (const query of questions.queries) answers.push(await store.findInField(scope, ref, path, query));
  }
  return JSON.stringify(answers, null, 1);
}
