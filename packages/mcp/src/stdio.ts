import type { McpServerFactory } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";

/** Serves one host over standard input and output until the host closes them, or ends this process. */
export function serveOverStdio(factory: McpServerFactory, onerror: (error: Error) => void): Promise<void> {
  const transport = new StdioServerTransport();
  const ended = new Promise<void>((resolve) => {
    process.stdin.once("close", resolve);
    process.stdin.once("end", resolve);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  const { close } = serveStdio(factory, { transport, onerror });
  return ended.then(close).finally(() => process.stdin.destroy());
}
