/** Reading under the token of a grant. */
import type { ReadName } from "@rungs/contract";
import type { Command, GroupEntry } from "../../command/command.ts";
import { READ_COMMANDS } from "../../command/flags.ts";

export const readCommands: readonly GroupEntry[] = [
  {
    name: "connect",
    about:
      "Asks the owner of a server for a grant in a browser, and saves its token for the commands below; or sets up an MCP host.",
    operands: ["[URL]"],
    load: async () => (await import("../connect.ts")).connectCommand,
  },
  ...listReadCommands(),
  {
    name: "export",
    about: "Writes every granted record with its whole text into a file, one on each line.",
    load: async () => (await import("../export.ts")).exportRecordsCommand,
  },
  {
    name: "mcp",
    about: "Serves an MCP host over standard input and output, under the token of a grant.",
    load: async () => (await import("../mcp.ts")).mcp,
  },
];

function listReadCommands(): GroupEntry[] {
  return Object.entries(READ_COMMANDS).map(([operation, { command: name, about, operands }]) => ({
    name,
    about,
    operands: Object.values(operands),
    load: () => loadReadCommand(operation as ReadName),
  }));
}

async function loadReadCommand(operation: ReadName): Promise<Command> {
  if (operation === "read_blob") return (await import("../blob.ts")).blob;
  return (await import("../../reads/read-command.ts")).createReadCommand(operation);
}
