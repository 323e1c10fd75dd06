import { isAbsolute } from "node:path";
import { ApiError } from "@rungs/contract";
import { z } from "zod";
import type { SourceSettings } from "../live-source.ts";

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Variables that affect which program runs, or that Rungs sets. */
const RESERVED = /^(?:PATH|HOME|TMPDIR|NODE_OPTIONS|PDPP_RS_URL|PDPP_OWNER_TOKEN|RUNGS_.*|LD_.*|DYLD_.*)$/;

const variableSchema = z
  .string()
  .regex(VARIABLE)
  .refine((name) => !RESERVED.test(name));
const streamNames = z.array(z.string().min(1)).max(1000).optional();

const settingsSchema = z.strictObject({
  /** The file of its manifest. */
  manifest: z.string().refine(isAbsolute),
  /** The program and its arguments; files among them are absolute, since it runs in a separate folder. */
  command: z.array(z.string().min(1)).min(1).max(100),
  /** Its environment: it inherits nothing. */
  variables: z.record(variableSchema, z.string().max(4096)).optional(),
  /** The variables that hold the secret. */
  secret_variables: z.array(variableSchema).max(10).optional(),
  /** The streams to read; all by default. */
  folders: streamNames,
  without_folders: streamNames,
});

/** The settings of a connector. */
export type ConnectorSettings = z.infer<typeof settingsSchema>;

/** Checks the settings of a connector; throws `invalid_request`. */
export function requireConnectorSettings(given: SourceSettings): ConnectorSettings {
  const parsed = settingsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const param = parsed.error.issues[0]?.path.join(".") || "command";
  throw new ApiError("invalid_request", {
    param,
    message: `${param} is not a setting that a connector may have.`,
    next: "Give the absolute path of its manifest, its program with arguments, and variables that do not affect how programs run.",
  });
}
