import { ApiError, type StreamShape } from "@rungs/contract";
import type { SqlContext, WriteSql } from "../database.ts";
import { FOLDING } from "../rows/folded-values.ts";

/** A field's number is one byte in index keys. */
const MAX_FIELDS = 256;

/** An older server would fold new values differently from stored ones (R81), so it must stop writing. */
function createTakenOver(): ApiError {
  return new ApiError("database_unavailable", {
    message: "A newer version of the program has taken over the records.",
    next: "Send the request again. If this server goes on refusing it, update the server.",
  });
}

/** Creates the partition if it is new, and assigns numbers to fields that have none. With `masks`, the partition is the masked copy's (`masks/`). */
export async function numberFields(
  { sql, owner }: SqlContext<WriteSql>,
  connection_id: string,
  shape: StreamShape,
  masks: string | null = null,
): Promise<{ id: number; fieldNames: string[] }> {
  const names = shape.fields.map((field) => field.name);
  const [row] = await sql.all<{ part: number; fields: string; folding: number | null }>(
    `SELECT part, fields, folding FROM parts WHERE owner = $1 AND connection_id = $2 AND stream = $3 AND ${hasMasks(masks, "$4")}`,
    [owner, connection_id, shape.name, ...(masks === null ? [] : [masks])],
  );
  if (!row) {
    const [last] = await sql.all<{ last: number | null }>(
      "SELECT max(part) AS last FROM parts WHERE owner = $1",
      [owner],
    );
    const id = (last?.last ?? 0) + 1;
    await sql.insert("parts", [
      [
        owner,
        id,
        connection_id,
        shape.name,
        JSON.stringify(names),
        masks,
        masks === null ? null : 0,
        FOLDING,
      ],
    ]);
    return { id, fieldNames: names };
  }
  if ((row.folding ?? 0) > FOLDING) throw createTakenOver();
  const fieldNames = JSON.parse(row.fields) as string[];
  const added = names.filter((name) => !fieldNames.includes(name));
  if (added.length > 0) {
    fieldNames.push(...added);
    if (fieldNames.length > MAX_FIELDS)
      throw new ApiError("invalid_manifest", {
        message: `A stream has at most ${MAX_FIELDS} fields over all its versions.`,
      });
    await sql.run("UPDATE parts SET fields = $3 WHERE owner = $1 AND part = $2", [
      owner,
      row.part,
      JSON.stringify(fieldNames),
    ]);
  }
  return { id: row.part, fieldNames };
}

/** A condition for the rows of `parts` that hold the records as they are, or as `masks` masks them. */
function hasMasks(masks: string | null, parameter: string): string {
  return masks === null ? "masks IS NULL" : `masks = ${parameter}`;
}
