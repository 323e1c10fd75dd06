import { hasMaskRules, type MaskRules, maskRulesSchema } from "@rungs/evidence";
import { ApiError } from "../errors/errors.ts";
import { firstProblem, plainMessages } from "../errors/problem.ts";
import type { Manifest } from "../manifest/manifest-schema.ts";
import type { GrantDetail } from "./grant.ts";

/** What the owner masks of everything that a grant covers. */
export interface MaskChoice extends MaskRules {
  /** Only these fields, in the streams that have them; all granted fields when left out. */
  readonly fields?: readonly string[] | undefined;
}

/** Adds the owner's masks to the streams of a grant. The consent time is never masked: limits of time compare it. */
export function applyMasks(
  details: readonly GrantDetail[],
  { fields: chosen, ...given }: MaskChoice,
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
      const fields = stream.fields.filter(
        (name) => name !== consent_time_field && (chosen === undefined || chosen.includes(name)),
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
