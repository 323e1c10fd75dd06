export { type AdapterOptions, createAdapter } from "./adapter.ts";
export type { Backend } from "./backend.ts";
export { createMcpEndpoint, type EndpointOptions, type TokenKind } from "./http.ts";
export { serveOverStdio } from "./stdio.ts";
