import { describeHosts, type HostSetup } from "@rungs/client";
import type { Show } from "../request/route.ts";
import { type Html, html } from "../ui/html.ts";

/** How to connect each MCP host to this server. */
export const showConnect: Show = async ({ base_url }) => {
  const body = html`<p class="lead">Give your agent this address. It asks you for access, and you choose what it may read.</p>
<pre class="copy" tabindex="0" aria-label="Address of the MCP server">${base_url}/mcp</pre>
<p>For a program without a browser, <a href="/console/grants/new">make a grant</a>: you get a token to put into its settings. Claude Desktop starts
programs on its own machine: <code>npx rungs connect --install claude-desktop</code> there sets it up.</p>
${renderHosts(describeHosts(base_url))}`;
  return { title: "Connect an agent", body };
};

/** Renders the configuration of each host. */
export function renderHosts(hosts: readonly HostSetup[]): Html[] {
  return hosts.map(
    ({ host, where, text, sign_in }) => html`<details class="card"><summary>${host}</summary>
<p class="small">${where === "run" ? "Run in a terminal:" : where}</p><pre class="copy" tabindex="0" aria-label="Settings for ${host}">${text}</pre>
${sign_in === undefined ? "" : html`<p class="small">Then sign in: <code>${sign_in}</code></p>`}</details>`,
  );
}
