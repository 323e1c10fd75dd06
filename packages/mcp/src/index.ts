export { type AdapterOptions, type Backend, createAdapter } from "./adapter.ts";
export { createMcpEndpoint, type EndpointOptions, type TokenKind } from "./http.ts";
export { serveOverStdio } from "./stdio.ts";
