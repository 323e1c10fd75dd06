export { type Client, type ClientOptions, createClient, type OpenBlob } from "./client.ts";
export { describeHosts, describeStdioHosts, type HostSetup } from "./mcp-hosts.ts";
export { startBrowserLogin } from "./oauth/browser-login.ts";
export { startDeviceLogin } from "./oauth/device-login.ts";
export { type Login, refreshLogin } from "./oauth/login.ts";
export { LoginRefused } from "./oauth/request-document.ts";
export { ServerUnreachable } from "./unreachable.ts";
