import { describeHosts, describeStdioHosts, type HostSetup } from "@rungs/client";

/** Facts about a host beyond its configuration. */
interface HostNotes {
  readonly file: string;
  readonly language: string;
  readonly check: string;
  readonly facts: readonly string[];
}

const URL_HERE = "http://127.0.0.1:7717";
const TOKEN = "YOUR-TOKEN";
const PROGRAM = {
  command: "node",
  args: ["/PATH/TO/CHECKOUT/packages/cli/bin/rungs.js", "mcp"],
  env: { RUNGS_TOKEN: TOKEN },
};

const NOTES: Readonly<Record<string, HostNotes>> = {
  "Claude Code": {
    file: "claude-code.md",
    language: "sh",
    check: "`claude mcp list`, and `/mcp` in a session.",
    facts: [
      "The model sees the structured half of an answer, not its text. Both halves of every answer are complete, so nothing is missing.",
      "An answer of more than 50,000 characters goes to a file, and one of more than 25,000 tokens is refused. Answers stay far below unless a larger window is asked for.",
      "Tools may be listed by name only until the model looks for them: ask it to use Rungs by name.",
      "`--scope user` makes the server known in every project.",
      "In a session, `/mcp`, then rungs, then Authenticate signs in too.",
    ],
  },
  Codex: {
    file: "codex.md",
    language: "toml",
    check: "`codex mcp list`, and `/mcp` in a session.",
    facts: [
      "The model sees the structured half of an answer, not its text.",
      "The middle of an answer is cut out near 48 kB, and at 12,000 bytes with models that Codex does not know. The structured half stays below 11,000 bytes unless a larger window is asked for.",
      'In place of `http_headers`, `bearer_token_env_var = "RUNGS_TOKEN"` takes the token from the environment and keeps it out of the file.',
    ],
  },
  "Gemini CLI": {
    file: "gemini-cli.md",
    language: "json",
    check: "`gemini mcp list`, and `/mcp` in a session.",
    facts: [
      "The model sees the text of an answer, not its structured half.",
      "`httpUrl` is the name for this transport; `url` means another one.",
      "In a folder that you have not trusted, which is the default, every server is shown as disabled: start Gemini CLI there and trust the folder, or add it to `~/.gemini/trustedFolders.json`.",
      "Values may name variables of the environment, such as `Bearer $RUNGS_TOKEN`, which keeps the token out of the file.",
      "Resource templates are not read; every next step is a tool call too.",
    ],
  },
  opencode: {
    file: "opencode.md",
    language: "json",
    check: "`opencode mcp list`.",
    facts: [
      "The model sees the text of an answer, not its structured half.",
      "An answer of more than 50 KB or 2,000 lines is cut. Answers stay below unless a larger window is asked for.",
      "This is the form for version 1; from version 2 on, servers are one level deeper, under `mcp.servers`.",
      '`"Authorization": "Bearer {env:RUNGS_TOKEN}"` keeps the token out of the file.',
    ],
  },
  "Copilot CLI": {
    file: "copilot-cli.md",
    language: "json",
    check: "`/mcp` in a session.",
    facts: [
      "The model sees both halves of an answer, 20,000 characters together; ours stay below 18,000 bytes unless a larger window is asked for.",
      "The server's instructions are not shown to the model; the descriptions of the tools say what is needed.",
    ],
  },
  Cursor: {
    file: "cursor.md",
    language: "json",
    check: "the list of MCP servers in Cursor's settings.",
    facts: [
      "`.cursor/mcp.json` in a project makes the server known there alone: never commit a token.",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the host's syntax.
      '`"Authorization": "Bearer ${env:RUNGS_TOKEN}"` keeps the token out of the file.',
    ],
  },
  "VS Code": {
    file: "vs-code.md",
    language: "json",
    check: "the command MCP: List Servers.",
    facts: [
      "The model sees the structured half of an answer in place of its text.",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the host's syntax.
      "An entry of `inputs` with `type: promptString` and `password: true` asks for the token instead of keeping it in the file; refer to it as `${input:NAME}`.",
    ],
  },
  ChatGPT: {
    file: "chatgpt.md",
    language: "text",
    check: "ask it to search your data.",
    facts: [
      "It reads both halves of an answer. In deep research it calls `search` and `fetch` alone, and cites a result by its `url`.",
      "The address has to be reachable from the internet, over https. Read [security](../security.md) before you open a server to the internet.",
    ],
  },
};

/** Renders a page for each host, and their index. The configuration comes from the contract. */
export function renderHostPages(): Record<string, string> {
  const withToken = describeHosts(URL_HERE, TOKEN);
  const pages = withToken.map((setup): [string, string] => {
    const signingIn = describeHosts(URL_HERE).find(({ host }) => host === setup.host);
    const notes = NOTES[setup.host];
    if (!notes) throw new Error(`scripts/docs-hosts.ts has no notes on ${setup.host}.`);
    const started = describeStdioHosts(PROGRAM).find(({ host }) => host === setup.host);
    return [`agents/${notes.file}`, renderHost({ setup, signingIn, started, notes })];
  });
  return Object.fromEntries(pages);
}

interface HostPage {
  readonly setup: HostSetup;
  readonly signingIn: HostSetup | undefined;
  /** How the host starts `rungs mcp`. */
  readonly started: HostSetup | undefined;
  readonly notes: HostNotes;
}

function renderHost({ setup, signingIn, started, notes }: HostPage): string {
  const { host, where, text } = setup;
  const isSame = signingIn === undefined || signingIn.text === text;
  return [
    `# ${host}`,
    "",
    "Made by `npm run docs`. [All hosts](../agents.md).",
    "",
    ...(isSame
      ? [...renderSetup(where, text, notes.language)]
      : [
          "## With the token of a grant",
          "",
          "`rungs grant create` prints a token, this once. Put it in place of `YOUR-TOKEN`.",
          "",
          ...renderSetup(where, text, notes.language),
          "## By signing in",
          "",
          "Without a token the host opens a page where you, the owner, choose what it may read.",
          "",
          ...renderSetup(signingIn.where, signingIn.text, notes.language),
          ...(signingIn.sign_in === undefined ? [] : [`Then sign in: \`${signingIn.sign_in}\`.`, ""]),
        ]),
    ...(started === undefined
      ? []
      : [
          "## Without a server",
          "",
          "The host starts `rungs mcp`, which reads the database here; `npx rungs mcp --config` prints this with the paths of your machine. In a checkout any Node will do: the program starts the one that `npm ci` installed.",
          "",
          ...renderSetup(started.where, started.text, notes.language),
        ]),
    "## Good to know",
    "",
    `* To see whether it is connected: ${notes.check}`,
    ...notes.facts.map((fact) => `* ${fact}`),
    "",
  ].join("\n");
}

function renderSetup(where: string, text: string, language: string): string[] {
  const place = where === "run" ? "Run:" : `In ${where.includes(",") ? where : `\`${where}\``}:`;
  return [place, "", `\`\`\`${language}`, text, "```", ""];
}
