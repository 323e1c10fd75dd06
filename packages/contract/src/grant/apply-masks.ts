import { hasMaskRules, type MaskRules, maskRulesSchema } from "@rungs/evidence";
import { ApiError } from "../errors/errors.ts";
import { firstProblem, plainMessages } from "../errors/problem.ts";
import type { Manifest } from "../manifest/manifest-schema.ts";
import type { GrantDetail } from "./grant.ts";

/** What the owner masks of everything that a grant covers. */
export interface MaskChoice extends MaskRules {
  /** Only these fields, in the streams that have them; by default, all granted fields. */
  readonly fields?: readonly string[] | undefined;
  /** Fields of single streams that stay as they are. */
  readonly except?: readonly UnmaskedFields[] | undefined;
}

/** Fields of one stream that are not masked. */
interface UnmaskedFields {
  readonly connection_id: string;
  readonly stream: string;
  readonly fields: readonly string[];
}

/** Adds the owner's masks to the streams of a grant. Never masks the consent time, which time limits compare. */
export function applyMasks(
  details: readonly GrantDetail[],
  { fields: chosen, except = [], ...given }: MaskChoice,
  manifests: readonly Manifest[],
): GrantDetail[] {
  const rules = requireMaskRules(given);
  for (const name of chosen ?? [])
    if (!details.some(({ streams }) => streams.some(({ fields }) => fields.includes(name))))
      throw new ApiError("unknown_field", {
        param: "masks.fields",
        message: `${name} is not a granted field.`,
      });
  return details.map((detail) => ({
    ...detail,
    streams: detail.streams.map((stream) => {
      const { consent_time_field } =
        manifests
          .find(
            ({ source, declaration_version }) =>
              source.id === detail.source.id && declaration_version === detail.source_declaration.version,
          )
          ?.streams.find(({ name }) => name === stream.name) ?? {};
      const plain = except
        .filter((each) => each.stream === stream.name && stream.instance_ids.includes(each.connection_id))
        .flatMap((each) => each.fields);
      const fields = stream.fields.filter(
        (name) =>
          name !== consent_time_field &&
          !plain.includes(name) &&
          (chosen === undefined || chosen.includes(name)),
      );
      return fields.length === 0 ? stream : { ...stream, masks: { fields, ...rules } };
    }),
  }));
}

function requireMaskRules(given: unknown): MaskRules {
  const parsed = maskRulesSchema.safeParse(given, plainMessages);
  if (!parsed.success) {
    const { path, message } = firstProblem(parsed.error);
    const param = ["masks", ...path].join(".");
    throw new ApiError("invalid_request", { param, message: `${param}: ${message}.` });
  }
  if (!hasMaskRules(parsed.data))
    throw new ApiError("invalid_request", { param: "masks", message: "masks names nothing to mask." });
  return parsed.data;
}
