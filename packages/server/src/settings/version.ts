/** The version of this program, equal to that of its packages. */
export const PROGRAM_VERSION = "0.1.0";

/** The supported protocol versions, the current one first. */
export const PDPP_VERSIONS = ["2026-07-01"] as const;
