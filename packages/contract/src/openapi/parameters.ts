import type { z } from "zod";
import { toJsonSchema } from "../json-schema/from-zod.ts";
import { isCommaList } from "../operations/comma-list.ts";
import type { Operation } from "../operations/operation.ts";
import { CONTRACT_VERSION, PDPP_VERSIONS, SPECIFICATION_VERSION } from "../wire/version.ts";
import { pathNames } from "../wire/wire.ts";

/** Lists an operation's path, query and header parameters. */
export function describeParameters(operation: Operation): object[] {
  const inPath = pathNames(operation);
  const inHeaders: readonly string[] = operation.headers ?? [];
  const own = Object.entries(operation.input.shape).map(([name, schema]) => {
    const place = inPath.includes(name) ? "path" : inHeaders.includes(name) ? "header" : "query";
    return describeParameter(name, schema, place, listAliases(operation, name));
  });
  return [...own, { $ref: "#/components/parameters/PdppVersion" }];
}

/** The parameter that every operation takes. */
export const sharedParameters = {
  PdppVersion: {
    name: "PDPP-Version",
    in: "header",
    description: `${CONTRACT_VERSION}: answers and errors are as described here. ${SPECIFICATION_VERSION}, the default: the specification's names are beside these, and its error codes in their place (docs/protocol.md).`,
    schema: { type: "string", enum: [...PDPP_VERSIONS] },
  },
};

function listAliases({ aliases = {} }: Operation, name: string): string[] {
  return Object.keys(aliases).filter((alias) => aliases[alias] === name);
}

function describeParameter(name: string, schema: z.core.$ZodType, place: string, aliases: string[]): object {
  const { description: text, ...written } = toJsonSchema(schema, "input");
  const required = schema._zod.optin !== "optional";
  const also = aliases.map((alias) => `Also accepted as ${alias}.`);
  const description = text === undefined ? undefined : [text, ...also].join(" ");
  return {
    name,
    in: place,
    ...(required ? { required } : {}),
    ...(description === undefined ? {} : { description }),
    ...listStyle(schema),
    schema: written,
  };
}

function listStyle(schema: z.core.$ZodType): object {
  const { def } = (schema as z.core.$ZodOptional)._zod;
  const inner = def.type === "optional" ? def.innerType : schema;
  return inner._zod.def.type === "array" ? { style: "form", explode: !isCommaList(inner) } : {};
}
