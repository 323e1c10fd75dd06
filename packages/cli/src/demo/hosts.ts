/** How the common hosts are told about an MCP server: each in its own format. */

/** What to do in one host. */
export interface HostSetup {
  readonly host: string;
  /** Where it goes. */
  readonly where: string;
  /** What to put there. */
  readonly text: string;
}

/** Says for each host how to connect it to the server at `url` under `token`. */
export function describeHosts(url: string, token: string): HostSetup[] {
  const mcp_url = `${url}/mcp`;
  const bearer = `Bearer ${token}`;
  const headers = { Authorization: bearer };
  const json = (value: unknown) => JSON.stringify(value, undefined, 2);
  return [
    {
      host: "Claude Code",
      where: "run",
      text: `claude mcp add --transport http rungs ${mcp_url} --header "Authorization: ${bearer}"`,
    },
    {
      host: "Codex",
      where: "~/.codex/config.toml",
      text: `[mcp_servers.rungs]\nurl = "${mcp_url}"\nhttp_headers = { Authorization = "${bearer}" }`,
    },
    {
      host: "Gemini CLI",
      where: "~/.gemini/settings.json",
      text: json({ mcpServers: { rungs: { httpUrl: mcp_url, headers } } }),
    },
    {
      host: "opencode",
      where: "opencode.json",
      text: json({
        $schema: "https://opencode.ai/config.json",
        mcp: { rungs: { type: "remote", url: mcp_url, enabled: true, oauth: false, headers } },
      }),
    },
    {
      host: "Cursor",
      where: "~/.cursor/mcp.json",
      text: json({ mcpServers: { rungs: { url: mcp_url, headers } } }),
    },
    {
      host: "VS Code",
      where: ".vscode/mcp.json",
      text: json({ servers: { rungs: { type: "http", url: mcp_url, headers } } }),
    },
    {
      host: "ChatGPT",
      where: "Settings, Apps, Advanced settings, Developer mode, then Create app",
      text: [
        "MCP Server URL: https://YOUR-PUBLIC-NAME/mcp, Authentication: OAuth",
        "ChatGPT calls from the internet, over https, and signs in with OAuth: it reaches no demo at 127.0.0.1 and takes",
        "no token. Serve under a public name with rungs serve --allow-host YOUR-PUBLIC-NAME and a sign-in in front of it.",
      ].join("\n"),
    },
  ];
}
