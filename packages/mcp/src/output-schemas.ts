/** What tools promise about `structuredContent`. Loose: clients hold old lists, and an added member must not break them. */
import { fieldWindowSchema } from "@rungs/evidence";
import { z } from "zod";
import { publishSchema } from "./published-schema.ts";

const ladder = z.looseObject({ records: z.array(z.looseObject({ id: z.string() })) });
const result = z.looseObject({ id: z.string(), title: z.string(), url: z.string() });
const envelope = z.looseObject({}).describe("The resource server's own answer.");

/** A page of hits or records. */
export const pageOutput = publishSchema(
  z.looseObject({ results: z.array(result), content_ladder: ladder, data: envelope.optional() }),
);

/** One record, as ChatGPT asks for a document. */
export const recordOutput = publishSchema(
  z.looseObject({
    id: z.string(),
    title: z.string(),
    text: z.string(),
    url: z.string(),
    metadata: z.looseObject({}),
    content_ladder: ladder,
    data: envelope.optional(),
  }),
);

/** Exactly what the fixed tool contract says (R20). */
export const windowOutput = publishSchema(fieldWindowSchema);

/** Anything else. */
export const looseOutput = publishSchema(z.looseObject({}));
