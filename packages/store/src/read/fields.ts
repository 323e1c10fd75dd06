/** Reads fields: size and digest, a slice of the text, where a query matches. */
import { sliceChars } from "@rungs/evidence";
import type { Catalog } from "../catalog/catalog.ts";
import type { Database } from "../database.ts";
import type { Store } from "../store.ts";
import {
  cutSlice,
  describeInline,
  findPlace,
  findText,
  readInline,
  readStored,
  toFacts,
} from "./field-text.ts";
import { findIndexed, findInline, scanText } from "./find-in-text.ts";

export function createFields(database: Database, catalog: Catalog) {
  return {
    async describeField(scope, ref, field_path) {
      const place = findPlace(scope, ref, field_path);
      if (!place) return undefined;
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.peek(async (sql) => {
        const text = await findText({ sql, owner }, place);
        if (text) return toFacts(text);
        return describeInline(await readInline({ sql, owner }, place));
      });
    },

    async readField(scope, ref, field_path, range) {
      const place = findPlace(scope, ref, field_path);
      if (!place) return undefined;
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.peek(async (sql) => {
        const slice = await readStored({ sql, owner }, place, range);
        if (slice) return slice;
        const inline = await readInline({ sql, owner }, place);
        const facts = describeInline(inline);
        return inline && facts && cutSlice(facts, range, (start, end) => sliceChars(inline.text, start, end));
      });
    },

    async findInField(scope, ref, field_path, query, from_chars = 0) {
      const place = findPlace(scope, ref, field_path);
      if (!place) return { found: false, searched_to: 0, facts: undefined };
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(async (sql) => {
        const context = { sql, owner };
        const wanted = { query, from_chars };
        const text = await findText(context, place);
        if (!text) return findInline(await readInline(context, place), wanted);
        if (text.first_position === null) return scanText(context, text, wanted);
        const partition = await catalog.findScopedPartition(context, scope, ref);
        const field = partition?.fieldNames.indexOf(text.field) ?? -1;
        return findIndexed(context, text, field, wanted);
      });
    },
  } satisfies Partial<Store>;
}
