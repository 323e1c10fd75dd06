/** What the registries and hosts accept, as their published schemas say it, for the members that Rungs writes. Unknown members are refused. */
import { z } from "zod";

const VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const input = {
  description: z.string().optional(),
  format: z.enum(["string", "number", "boolean", "filepath"]).optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  default: z.string().optional(),
  value: z.string().optional(),
};

/** server.json of the MCP registry, schema of 2025-12-11; a version is exact, neither a range nor `latest`. */
export const serverEntry = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().max(255).regex(VERSION),
  repository: z.strictObject({ url: z.url(), source: z.literal("github") }),
  packages: z.array(
    z.strictObject({
      registryType: z.literal("npm"),
      identifier: z.string(),
      version: z.string().regex(VERSION),
      runtimeHint: z.literal("npx"),
      transport: z.strictObject({ type: z.literal("stdio") }),
      // A positional argument has a value, or a hint for one.
      packageArguments: z.array(z.strictObject({ type: z.literal("positional"), value: z.string() })),
      environmentVariables: z.array(z.strictObject({ name: z.string(), ...input })),
    }),
  ),
});

/** manifest.json of an `.mcpb` bundle, manifest version 0.3. */
export const bundleManifest = z.strictObject({
  manifest_version: z.literal("0.3"),
  name: z.string(),
  display_name: z.string(),
  version: z.string().regex(VERSION),
  description: z.string(),
  long_description: z.string(),
  author: z.strictObject({ name: z.string(), email: z.string().optional(), url: z.url().optional() }),
  license: z.string(),
  repository: z.strictObject({ type: z.string(), url: z.url() }),
  server: z.strictObject({
    type: z.enum(["python", "node", "binary"]),
    entry_point: z.string(),
    mcp_config: z.strictObject({
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    }),
  }),
  tools_generated: z.boolean(),
  user_config: z.record(
    z.string(),
    z.strictObject({
      type: z.enum(["string", "number", "boolean", "directory", "file"]),
      title: z.string(),
      description: z.string(),
      default: z.string().optional(),
      required: z.boolean().optional(),
      sensitive: z.boolean().optional(),
    }),
  ),
  compatibility: z.strictObject({
    platforms: z.array(z.enum(["darwin", "win32", "linux"])),
    runtimes: z.strictObject({ node: z.string() }),
  }),
});

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const author = z.strictObject({ name: z.string().min(1) });

/** .claude-plugin/plugin.json of Claude Code. */
export const pluginManifest = z.strictObject({
  name: z.string().regex(NAME),
  version: z.string().regex(VERSION),
  description: z.string(),
  author,
  license: z.string(),
  mcpServers: z.record(z.string(), z.strictObject({ type: z.literal("http"), url: z.url() })),
});

/** .claude-plugin/marketplace.json of Claude Code; a source is a path below the repository. */
export const marketplace = z.strictObject({
  name: z.string().regex(NAME),
  owner: author,
  metadata: z.strictObject({ description: z.string() }),
  plugins: z.array(
    z.strictObject({
      name: z.string().regex(NAME),
      source: z.string().startsWith("./"),
      description: z.string(),
    }),
  ),
});

const environment = z.record(z.string(), z.string());
const service = z.strictObject({
  image: z.string(),
  build: z.string().optional(),
  restart: z.enum(["no", "always", "on-failure", "unless-stopped"]),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string().regex(/^[a-z]+:\//)),
  environment,
  depends_on: z
    .record(
      z.string(),
      z.strictObject({
        condition: z.enum(["service_started", "service_healthy", "service_completed_successfully"]),
      }),
    )
    .optional(),
  healthcheck: z
    .strictObject({ test: z.array(z.string()), interval: z.string(), retries: z.number() })
    .optional(),
});

/** compose.yaml, of the Compose Specification. */
export const composeFile = z.strictObject({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});
