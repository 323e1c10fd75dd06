/** Reads fields: size and digest, a slice of the text, where a query matches. */
import { sliceChars } from "@rungs/evidence";
import type { Catalog } from "../catalog/catalog.ts";
import type { Database } from "../database.ts";
import { readChars } from "../rows/chunks.ts";
import type { FieldSlice, Store, TextRange } from "../store.ts";
import { DeepTexts, toStoredText } from "./deep-text.ts";
import {
  cutSlice,
  describeInline,
  findPlace,
  findText,
  type InlineText,
  readInline,
  readStored,
  toFacts,
} from "./field-text.ts";
import { findIndexed, findInline, findOrWiden, scanText } from "./find-in-text.ts";

export function createFields(database: Database, catalog: Catalog) {
  const deepTexts = new DeepTexts();
  return {
    async describeField(scope, ref, field_path) {
      const owner = await catalog.requireOwner(scope.owner_id);
      const place = await findPlace({ database, catalog, owner }, scope, ref, field_path);
      if (!place) return undefined;
      const facts = await database.peek(owner, async (sql) => {
        const text = await findText({ sql, owner }, place);
        if (text) return toFacts(text);
        return describeInline(await readInline({ sql, owner }, place));
      });
      if (facts) return facts;
      return database.read(owner, async (sql) => {
        const deep = await deepTexts.find({ sql, owner }, place);
        return deep?.kind === "slice" ? toFacts(deep.row) : describeInline(deep?.inline);
      });
    },

    async readField(scope, ref, field_path, range) {
      const owner = await catalog.requireOwner(scope.owner_id);
      const place = await findPlace({ database, catalog, owner }, scope, ref, field_path);
      if (!place) return undefined;
      const slice = await database.peek(
        owner,
        async (sql) =>
          (await readStored({ sql, owner }, place, range)) ??
          sliceInline(await readInline({ sql, owner }, place), range),
      );
      if (slice) return slice;
      return database.read(owner, async (sql) => {
        const deep = await deepTexts.find({ sql, owner }, place);
        if (deep?.kind !== "slice") return sliceInline(deep?.inline, range);
        const { start_chars, end_chars, ...facts } = cutSlice(toFacts(deep.row), range, () => "");
        const text = await readChars({ sql, owner }, toStoredText(deep.row), start_chars, end_chars);
        return { ...facts, text, start_chars, end_chars };
      });
    },

    async findInField(scope, ref, field_path, query, from_chars = 0) {
      const owner = await catalog.requireOwner(scope.owner_id);
      const place = await findPlace({ database, catalog, owner }, scope, ref, field_path);
      if (!place) return { found: false, searched_to: 0, facts: undefined };
      return database.read(owner, async (sql) => {
        const context = { sql, owner };
        const text = await findText(context, place);
        if (!text) {
          const inline = await readInline(context, place);
          const deep = inline ? undefined : await deepTexts.find(context, place);
          return findOrWiden(query, from_chars, (wanted) =>
            deep?.kind === "slice"
              ? scanText(context, deep.row, wanted)
              : findInline(inline ?? deep?.inline, wanted),
          );
        }
        const partition = await catalog.findScopedPartition(context, scope, ref);
        const field = partition?.fieldNames.indexOf(text.field) ?? -1;
        return findOrWiden(query, from_chars, (wanted) =>
          text.first_position === null
            ? scanText(context, text, wanted)
            : findIndexed(context, text, field, wanted),
        );
      });
    },
  } satisfies Partial<Store>;
}

function sliceInline(inline: InlineText | undefined, range: TextRange): FieldSlice | undefined {
  const facts = describeInline(inline);
  return inline && facts && cutSlice(facts, range, (start, end) => sliceChars(inline.text, start, end));
}
