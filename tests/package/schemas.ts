/**
 * Excerpts of the published schemas of registries and hosts, for the members that Rungs writes. Unknown members are
 * refused.
 */
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
      // A positional argument has a value or a hint.
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
const duration = z.string().regex(/^\d+s$/);
const condition = z.enum(["service_started", "service_healthy", "service_completed_successfully"]);
const service = z.strictObject({
  image: z.string(),
  build: z.string().optional(),
  restart: z.enum(["no", "always", "on-failure", "unless-stopped"]),
  user: z.string().optional(),
  hostname: z.string().optional(),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  stop_grace_period: duration.optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string().regex(/^(?:[a-z]\w*|\.\/[\w.-]+|\$\{.+\}):\/[\w./-]+(?::ro)?$/)),
  environment,
  depends_on: z.union([z.array(z.string()), z.record(z.string(), z.strictObject({ condition }))]).optional(),
  healthcheck: z
    .strictObject({ test: z.array(z.string()), interval: duration, retries: z.number() })
    .optional(),
});

/** compose.yaml, of the Compose Specification. Members with `x-` are extensions. */
export const composeFile = z.strictObject({
  name: z.string().optional(),
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});

const name = z.string().regex(NAME);
const labels = z.record(z.string(), z.string());
const metadata = z.strictObject({ name, labels: labels.optional(), annotations: labels.optional() });
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.literal("http") }),
  periodSeconds: z.int(),
  timeoutSeconds: z.int().default(1),
  failureThreshold: z.int(),
});
const amounts = z.strictObject({
  cpu: z
    .string()
    .regex(/^\d+m$/)
    .optional(),
  memory: z
    .string()
    .regex(/^\d+[MG]i$/)
    .optional(),
  storage: z
    .string()
    .regex(/^\d+Gi$/)
    .optional(),
});
const container = z.strictObject({
  name,
  image: z.string(),
  args: z.array(z.string()),
  envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name }) })),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  ports: z.array(z.strictObject({ name: z.literal("http"), containerPort: z.int() })).optional(),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  resources: z.strictObject({ requests: amounts, limits: amounts }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
  }),
  volumeMounts: z.array(z.strictObject({ name, mountPath: z.enum(["/data", "/tmp"]) })),
});
const pod = z.strictObject({
  metadata: z.strictObject({ labels }),
  spec: z.strictObject({
    automountServiceAccountToken: z.literal(false),
    enableServiceLinks: z.literal(false),
    terminationGracePeriodSeconds: z.int().optional(),
    restartPolicy: z.literal("Never").optional(),
    securityContext: z.strictObject({
      runAsNonRoot: z.literal(true),
      runAsUser: z.int(),
      runAsGroup: z.int(),
      fsGroup: z.int(),
      seccompProfile: z.strictObject({ type: z.literal("RuntimeDefault") }),
    }),
    topologySpreadConstraints: z.array(z.unknown()).optional(),
    containers: z.tuple([container]),
    volumes: z.array(
      z.strictObject({
        name,
        emptyDir: z.strictObject({ sizeLimit: z.string() }).optional(),
        persistentVolumeClaim: z.strictObject({ claimName: name }).optional(),
      }),
    ),
  }),
});
const selector = z.strictObject({ matchLabels: labels });
const kind = <K extends string, V extends string, S extends object>(apiVersion: V, kind: K, rest: S) =>
  z.strictObject({ apiVersion: z.literal(apiVersion), kind: z.literal(kind), metadata, ...rest });
const spec = <S extends z.ZodRawShape>(shape: S) => ({ spec: z.strictObject(shape) });

/** The objects of Kubernetes in `deploy/kubernetes`. */
export const kubernetesObject = z.discriminatedUnion("kind", [
  kind("v1", "Secret", { stringData: labels }),
  kind(
    "apps/v1",
    "Deployment",
    spec({
      replicas: z.int(),
      selector,
      strategy: z.strictObject({
        type: z.literal("RollingUpdate"),
        rollingUpdate: z.strictObject({ maxUnavailable: z.int(), maxSurge: z.int() }),
      }),
      template: pod,
    }),
  ),
  kind("policy/v1", "PodDisruptionBudget", spec({ maxUnavailable: z.int(), selector })),
  kind(
    "v1",
    "Service",
    spec({
      selector: labels,
      ports: z.tuple([
        z.strictObject({ name: z.literal("http"), port: z.int(), targetPort: z.literal("http") }),
      ]),
    }),
  ),
  kind(
    "networking.k8s.io/v1",
    "Ingress",
    spec({
      ingressClassName: z.string(),
      tls: z.array(z.strictObject({ hosts: z.array(z.string()), secretName: name })),
      rules: z.array(
        z.strictObject({
          host: z.string(),
          http: z.strictObject({
            paths: z.tuple([
              z.strictObject({
                path: z.literal("/"),
                pathType: z.literal("Prefix"),
                backend: z.strictObject({
                  service: z.strictObject({ name, port: z.strictObject({ name: z.literal("http") }) }),
                }),
              }),
            ]),
          }),
        }),
      ),
    }),
  ),
  kind(
    "batch/v1",
    "CronJob",
    spec({
      schedule: z.string(),
      concurrencyPolicy: z.literal("Forbid"),
      jobTemplate: z.strictObject({
        spec: z.strictObject({ backoffLimit: z.int(), template: pod }),
      }),
    }),
  ),
  kind(
    "v1",
    "PersistentVolumeClaim",
    spec({
      accessModes: z.tuple([z.literal("ReadWriteOnce")]),
      resources: z.strictObject({ requests: amounts }),
    }),
  ),
]);
