/** Setup snippets for the common MCP hosts, each in its own format. */

/** The setup of one host. */
export interface HostSetup {
  readonly host: string;
  /** Where it goes. */
  readonly where: string;
  /** What to put there. */
  readonly text: string;
  /** How to sign in afterwards, for hosts that do not prompt for it. */
  readonly sign_in?: string | undefined;
}

/** Describes for each host how to connect it to the server at `url`: with a token, or by OAuth if there is none. */
export function describeHosts(url: string, token?: string): HostSetup[] {
  const mcp_url = `${url}/mcp`;
  const bearer = token === undefined ? undefined : `Bearer ${token}`;
  const headers = bearer === undefined ? {} : { headers: { Authorization: bearer } };
  const json = (value: unknown) => JSON.stringify(value, undefined, 2);
  const signIn = (text: string) => (bearer === undefined ? { sign_in: text } : {});
  return [
    {
      host: "Claude Code",
      where: "run",
      text: `claude mcp add --transport http rungs ${mcp_url}${bearer === undefined ? "" : ` --header "Authorization: ${bearer}"`}`,
      ...signIn("claude mcp login rungs"),
    },
    {
      host: "Codex",
      where: "~/.codex/config.toml",
      text: `[mcp_servers.rungs]\nurl = "${mcp_url}"${bearer === undefined ? "" : `\nhttp_headers = { Authorization = "${bearer}" }`}`,
      ...signIn("codex mcp login rungs"),
    },
    {
      host: "Gemini CLI",
      where: "~/.gemini/settings.json",
      text: json({ mcpServers: { rungs: { httpUrl: mcp_url, ...headers } } }),
      ...signIn("/mcp auth rungs"),
    },
    {
      host: "opencode",
      where: "opencode.json",
      text: json({
        $schema: "https://opencode.ai/config.json",
        mcp: {
          rungs: {
            type: "remote",
            url: mcp_url,
            enabled: true,
            ...(bearer === undefined ? {} : { oauth: false }),
            ...headers,
          },
        },
      }),
      ...signIn("opencode mcp auth rungs"),
    },
    {
      host: "Copilot CLI",
      where: "~/.copilot/mcp-config.json",
      text: json({ mcpServers: { rungs: { type: "http", url: mcp_url, ...headers, tools: ["*"] } } }),
      ...signIn("/mcp auth rungs"),
    },
    {
      host: "Cursor",
      where: "~/.cursor/mcp.json",
      text: json({ mcpServers: { rungs: { url: mcp_url, ...headers } } }),
    },
    {
      host: "VS Code",
      where: ".vscode/mcp.json",
      text: json({ servers: { rungs: { type: "http", url: mcp_url, ...headers } } }),
    },
    describeChatGpt(mcp_url),
  ];
}

/** A program that a host starts. */
interface HostProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Describes for each host that starts programs how it starts `rungs mcp`. */
export function describeStdioHosts({ command, args, env }: HostProgram): HostSetup[] {
  const hasEnv = Object.keys(env).length > 0;
  const program = { command, args, ...(hasEnv ? { env } : {}) };
  const json = (value: unknown) => JSON.stringify(value, undefined, 2);
  const usual = json({ mcpServers: { rungs: program } });
  // The name comes first: --env takes every word up to the next flag.
  const flags = Object.entries(env).map(([name, value]) => `--env ${name}=${quote(value)} `);
  return [
    {
      host: "Claude Code",
      where: "run",
      text: `claude mcp add rungs ${flags.join("")}-- ${[command, ...args].map(quote).join(" ")}`,
    },
    { host: "Claude Desktop", where: "claude_desktop_config.json", text: usual },
    { host: "Codex", where: "~/.codex/config.toml", text: writeToml({ command, args, env }) },
    { host: "Gemini CLI", where: "~/.gemini/settings.json", text: usual },
    {
      host: "opencode",
      where: "opencode.json",
      text: json({
        $schema: "https://opencode.ai/config.json",
        mcp: {
          rungs: {
            type: "local",
            command: [command, ...args],
            enabled: true,
            ...(hasEnv ? { environment: env } : {}),
          },
        },
      }),
    },
    {
      host: "Copilot CLI",
      where: "~/.copilot/mcp-config.json",
      text: json({ mcpServers: { rungs: { type: "local", ...program, tools: ["*"] } } }),
    },
    { host: "Cursor", where: "~/.cursor/mcp.json", text: usual },
    {
      host: "VS Code",
      where: ".vscode/mcp.json",
      text: json({ servers: { rungs: { type: "stdio", ...program } } }),
    },
  ];
}

/** JSON strings and lists of them are TOML too. */
function writeToml({ command, args, env }: HostProgram): string {
  const members = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return [
    "[mcp_servers.rungs]",
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify(args)}`,
    ...(members.length === 0 ? [] : [`env = { ${members.join(", ")} }`]),
  ].join("\n");
}

/** Quotes an argument for a POSIX shell, if it needs that. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** ChatGPT calls from the internet and accepts no token. */
function describeChatGpt(mcp_url: string): HostSetup {
  const isPublic = mcp_url.startsWith("https://");
  return {
    host: "ChatGPT",
    where: "Settings, Apps, Advanced settings, Developer mode, then Create app",
    text: [
      `MCP Server URL: ${isPublic ? mcp_url : "https://YOUR-PUBLIC-NAME/mcp"}, Authentication: OAuth`,
      ...(isPublic
        ? []
        : [
            "ChatGPT calls from the internet, over https, and signs in with OAuth: it reaches no server at 127.0.0.1 and takes",
            "no token. Put a proxy that speaks TLS in front: rungs serve --behind-proxy https://YOUR-PUBLIC-NAME",
          ]),
    ].join("\n"),
  };
}
