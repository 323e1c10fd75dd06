/** The version of this program, as its packages say it. */
export const PROGRAM_VERSION = "0.1.0";

/** The versions of the wire that are spoken, the current one first. */
export const PDPP_VERSIONS = ["2026-07-01"] as const;
