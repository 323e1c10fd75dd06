export { type Client, type ClientOptions, createClient, type OpenBlob } from "./client.ts";
export { ServerUnreachable } from "./unreachable.ts";
