/** The clients of the protocol's SDKs, 2.x and 1.x. */
export {
  Client,
  type Client as McpClient,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
export { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
export { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
export { StdioClientTransport as FirstStdioTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
export { StreamableHTTPClientTransport as FirstHttpTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
