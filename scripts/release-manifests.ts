/** The manifests of a release for other programs: the bundle for Claude Desktop, and the entry of the MCP registry. */

/** The name of a release, and where it is published. */
export interface ReleaseFacts {
  readonly version: string;
  readonly description: string;
  /** `owner/name` on GitHub. */
  readonly slug: string;
}

const TOKEN = "The token of a grant. rungs grant create prints one.";
const SERVER = "The address of your Rungs server.";
const HERE = "http://127.0.0.1:7717";

/** The manifest of the `.mcpb` bundle (MCPB manifest 0.3). */
export function createBundleManifest({ version, description, slug }: ReleaseFacts, node: string): object {
  return {
    manifest_version: "0.3",
    name: "rungs",
    display_name: "Rungs",
    version,
    description,
    long_description:
      "Reads your own mail, chats and documents from a Rungs server on your machine, in bounded steps and only as far as a grant allows.",
    author: { name: "The Rungs maintainers" },
    license: "Apache-2.0",
    repository: { type: "git", url: `https://github.com/${slug}` },
    server: {
      type: "node",
      entry_point: "server/bin/rungs.js",
      mcp_config: {
        command: "node",
        args: [`${variable("__dirname")}/server/bin/rungs.js`, "mcp"],
        env: { RUNGS_URL: variable("user_config.url"), RUNGS_TOKEN: variable("user_config.token") },
      },
    },
    tools_generated: true,
    user_config: {
      url: { type: "string", title: "Server", description: SERVER, default: HERE, required: true },
      token: { type: "string", title: "Token", description: TOKEN, sensitive: true, required: true },
    },
    compatibility: { platforms: ["darwin", "win32", "linux"], runtimes: { node } },
  };
}

/** A variable for the host to substitute. */
function variable(name: string): string {
  return `\${${name}}`;
}

/** The entry of the MCP registry (server.json, schema of 2025-12-11). */
export function createServerEntry({ version, description, slug }: ReleaseFacts): object {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: `io.github.${slug}`,
    title: "Rungs",
    description,
    version,
    repository: { url: `https://github.com/${slug}`, source: "github" },
    packages: [
      {
        registryType: "npm",
        identifier: "rungs",
        version,
        runtimeHint: "npx",
        transport: { type: "stdio" },
        packageArguments: [{ type: "positional", value: "mcp" }],
        environmentVariables: [
          { name: "RUNGS_URL", description: SERVER, format: "string", default: HERE },
          { name: "RUNGS_TOKEN", description: TOKEN, format: "string", isSecret: true },
        ],
      },
    ],
  };
}
