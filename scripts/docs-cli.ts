import { type CommandEntry, type CommandOption, globalOptions } from "rungs/internal/command";
import { commands } from "rungs/internal/commands";
import { renderOption, renderUsage } from "rungs/internal/help";

const INTRODUCTION = `# The command line

\`npx rungs COMMAND\` in a checkout; \`rungs COMMAND --help\` says the same as this page, which is made by \`npm run docs\`.

The owner's commands open the database: whoever can read the home is the owner. The commands that read (\`schema\`, \`search\`, \`read\`,
\`fetch\`, \`query\`, \`aggregate\`, \`blob\`, \`export\`, \`mcp\`) work under the token of a grant, on the server that \`--url\` names, or
without one on the database here, under the same rules.

| exit code | means |
|---|---|
| 0 | done |
| 1 | refused or failed; the sentence on standard error says why and what to do |
| 2 | wrong usage |
| 3 | not authenticated: no token, or one that is no longer valid |
| 4 | the server or the database cannot be reached |

Answers go to standard output, everything else to standard error. \`--json\` makes the answer one JSON document, a refusal of a read too.
Colours and progress are for terminals; \`NO_COLOR\` turns colours off, and what is piped has no control characters.
An interrupted import, export, download or copy loses nothing: run the same command again.
`;

/** Renders the page of all commands. */
export async function renderCommandsPage(): Promise<string> {
  const sections = await Promise.all(commands.map(renderCommand));
  return [
    INTRODUCTION,
    "## Options of every command",
    "",
    ...renderOptions(globalOptions),
    "",
    ...sections.flat(),
  ].join("\n");
}

async function renderCommand(entry: CommandEntry): Promise<string[]> {
  const { options = {} } = await entry.load();
  const rows = Object.keys(options).length === 0 ? [] : [...renderOptions(options), ""];
  return [`## rungs ${entry.name}`, "", `\`${renderUsage(entry)}\``, "", entry.about, "", ...rows];
}

function renderOptions(options: Readonly<Record<string, CommandOption>>): string[] {
  const rows = Object.entries(options).map(
    ([name, option]) => `| \`${cell(renderOption(name, option))}\` | ${cell(option.about)} |`,
  );
  return ["| option | |", "|---|---|", ...rows];
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
