/** Refuses rules that would hide nothing, since an owner who mistyped one would rely on it (R81). */
import {
  ApiError,
  type Condition,
  type Exclusion,
  type FieldShape,
  findConditionFault,
  isInPlace,
} from "@rungs/contract";
import { readSources, type Sources } from "../access/authority.ts";
import type { OwnerContext } from "./owner-context.ts";

/** Throws for a rule about an impossible place, field or person, or about a value that the field never has. */
export async function requireEffect(
  { store, owner_id }: OwnerContext,
  hides: Exclusion["hides"],
): Promise<void> {
  if (hides.kind === "person") return requirePerson(hides.person);
  const sources = await readSources(store, owner_id);
  const fields = listFields(sources, hides);
  if (hides.kind === "value") requireValue(fields, hides.condition, formatPlace(hides));
  if (
    hides.kind === "pattern" &&
    hides.field !== undefined &&
    !fields.some(({ name }) => name === hides.field)
  )
    refuse("field", `No stream${formatPlace(hides)} has a field ${hides.field}`);
}

/** A person is an address, a name or a domain; `*` matches anything before a domain or at the end. */
function requirePerson(person: string): void {
  const name = person.replace(/^\*(?=@)/, "").replace(/\*$/, "");
  if (/[\p{L}\p{N}]/u.test(name) && !name.includes("*")) return;
  refuse(
    "person",
    `${JSON.stringify(person)} is no person: give an address, a name or @domain`,
    "A * at the end stands for any ending.",
  );
}

interface Place {
  readonly connection_id?: string | undefined;
  readonly stream?: string | undefined;
}

function listFields(sources: Sources, { connection_id, stream }: Place): FieldShape[] {
  if (connection_id !== undefined && !sources.has(connection_id))
    refuse("in", `There is no connection ${connection_id}`, "rungs connections lists the connections.");
  const shapes = [...sources.values()].flatMap((source) =>
    [...source.shapes]
      .filter(([name]) =>
        isInPlace({ connection_id, stream }, { connection_id: source.connection_id, stream: name }),
      )
      .map(([, shape]) => shape),
  );
  if (shapes.length === 0 && stream !== undefined)
    refuse(
      "in",
      `There is no stream ${stream}${connection_id === undefined ? "" : ` in the connection ${connection_id}`}`,
      "rungs connections lists the connections and their streams.",
    );
  return shapes.flatMap(({ fields }) => fields);
}

function requireValue(fields: readonly FieldShape[], condition: Condition, place: string): void {
  const comparable = fields.filter(({ filterable }) => filterable);
  const named = comparable.filter(({ name }) => name === condition.field);
  if (named.length === 0) {
    const names = [...new Set(comparable.map(({ name }) => name))].join(", ");
    refuse(
      "field",
      `No stream${place} can be narrowed by ${condition.field}; these can be compared: ${names}`,
    );
  }
  const faults = named.map((field) => findConditionFault(condition, field));
  if (faults[0] !== undefined && !faults.includes(undefined))
    refuse("condition", `The rule would hide nothing: the value of ${condition.field} ${faults[0]}`);
}

function formatPlace({ connection_id, stream }: Place): string {
  if (connection_id === undefined) return stream === undefined ? "" : ` called ${stream}`;
  return ` of ${connection_id}${stream === undefined ? "" : ` called ${stream}`}`;
}

function refuse(param: string, message: string, next?: string): never {
  throw new ApiError("invalid_request", {
    param,
    message: `${message}.`,
    ...(next === undefined ? {} : { next }),
  });
}
