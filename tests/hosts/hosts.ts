/** The hosts that `npm run hosts` drives: the package of each, and how to point it at a model and at Rungs. */

/** A host from npm. */
export interface Host {
  /** As `describeHosts` calls it. */
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly program: string;
  /** The command line that runs one prompt non-interactively. */
  argv(model_url: string): readonly string[];
  /** The environment that makes `model_url` its only model and blocks any other network access. */
  env(model_url: string): Record<string, string>;
  /** The files of a new home, by path: Rungs' printed configuration, and the model if a file configures it. */
  files(printed: string, model_url: string): Record<string, string>;
  /** The call that loads one of our tools, in a host that shows its model only tool names. */
  lookUp?(tool: string): { readonly tool: string; readonly args: Readonly<Record<string, unknown>> };
}

const PROMPT = "Climb.";
const KEY = "scripted";

export const hosts: readonly Host[] = [
  {
    name: "Claude Code",
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    program: "claude",
    argv: () => ["--print", PROMPT, "--allowedTools", "mcp__rungs"],
    env: (model_url) => ({
      ANTHROPIC_BASE_URL: model_url,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // Otherwise the first prompt does not wait for slow servers.
      MCP_CONNECTION_NONBLOCKING: "false",
      MCP_TIMEOUT: "60000",
    }),
    // A command configures this host.
    files: () => ({}),
    lookUp: (tool) => ({ tool: "ToolSearch", args: { query: `select:mcp__rungs__${tool}`, max_results: 1 } }),
  },
  {
    name: "Codex",
    package: "@openai/codex",
    version: "0.166.0",
    program: "codex",
    argv: () => ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT],
    env: () => ({ SCRIPTED_KEY: KEY }),
    files: (printed, model_url) => ({
      ".codex/config.toml": [
        'model = "scripted"',
        'model_provider = "scripted"',
        "check_for_update_on_startup = false",
        printed,
        "startup_timeout_sec = 60",
        "required = true",
        "[model_providers.scripted]",
        'name = "scripted"',
        `base_url = "${model_url}/v1"`,
        'env_key = "SCRIPTED_KEY"',
        'wire_api = "responses"',
        "[analytics]",
        "enabled = false",
      ].join("\n"),
    }),
  },
  {
    name: "Gemini CLI",
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "gemini",
    argv: () => ["--prompt", PROMPT, "--yolo", "--model", "gemini-2.5-pro"],
    env: (model_url) => ({
      GOOGLE_GEMINI_BASE_URL: model_url,
      GEMINI_API_KEY: KEY,
      GEMINI_TELEMETRY_ENABLED: "false",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    }),
    files: (printed) => ({
      ".gemini/settings.json": JSON.stringify({
        ...JSON.parse(printed),
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      }),
    }),
  },
  {
    name: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    program: "opencode",
    argv: () => ["run", "--model", "scripted/scripted", PROMPT],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    files: (printed, model_url) => ({
      "opencode.json": JSON.stringify({
        ...JSON.parse(printed),
        autoupdate: false,
        share: "disabled",
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${model_url}/v1`, apiKey: KEY },
            models: { scripted: { tool_call: true, limit: { context: 200_000, output: 8_000 } } },
          },
        },
      }),
    }),
  },
  {
    name: "Copilot CLI",
    package: "@github/copilot",
    version: "1.0.102",
    program: "copilot",
    argv: () => ["--prompt", PROMPT, "--allow-all-tools", "--no-color"],
    env: (model_url) => ({
      COPILOT_PROVIDER_BASE_URL: `${model_url}/v1`,
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_MODEL: "scripted",
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
    }),
    files: (printed) => ({ ".copilot/mcp-config.json": printed }),
  },
];
