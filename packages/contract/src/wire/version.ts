/** The specification's version, and the default: its names and codes, beside ours where both fit. */
export const SPECIFICATION_VERSION = "2026-04-06";

/**
 * This contract's version: exactly what the OpenAPI document describes. Our own clients request it, since its answers
 * are smaller.
 */
export const CONTRACT_VERSION = "2026-07-01";

/** The protocol versions that a request may name in its `PDPP-Version` header, the default first. */
export const PDPP_VERSIONS = [SPECIFICATION_VERSION, CONTRACT_VERSION] as const;

/** A supported protocol version. */
export type PdppVersion = (typeof PDPP_VERSIONS)[number];
