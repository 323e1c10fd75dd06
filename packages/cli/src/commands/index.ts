import type { ReadName } from "@rungs/contract";
import type { Command, CommandEntry } from "../command/command.ts";
import { READ_COMMANDS } from "../reads/flags.ts";

/** Every command, in the order in which `--help` lists them: first the owner's, then those that read under a token. */
export const commands: readonly CommandEntry[] = [
  {
    name: "demo",
    about: "Serves sample data in a home of its own, with a grant and the configuration of the common hosts.",
    load: async () => (await import("./demo.ts")).demo,
  },
  {
    name: "serve",
    about: "Serves the data over HTTP until it is stopped.",
    load: async () => (await import("./serve.ts")).serve,
  },
  {
    name: "import",
    about:
      "Brings exports in: mail, chats, documents, tables. Tells the format from the content; safe to run again.",
    operands: ["PATH…"],
    load: async () => (await import("./import.ts")).importFiles,
  },
  {
    name: "login-link",
    about: "Prints a link that signs its owner in to the console, once.",
    load: async () => (await import("./login-link.ts")).loginLink,
  },
  {
    name: "connections",
    about: "Lists connections and streams with their counts and times.",
    load: async () => (await import("./connections.ts")).connections,
  },
  {
    name: "grant create",
    about: "Lets a client read what is allowed, and prints its token: this once and never again.",
    load: async () => (await import("./grants.ts")).grantCreate,
  },
  {
    name: "grant list",
    about: "Lists every grant, the ended ones too.",
    load: async () => (await import("./grants.ts")).grantList,
  },
  {
    name: "grant show",
    about: "Shows what a grant allows.",
    operands: ["ID"],
    load: async () => (await import("./grants.ts")).grantShow,
  },
  {
    name: "grant revoke",
    about: "Ends a grant from the next request on.",
    operands: ["ID"],
    load: async () => (await import("./grants.ts")).grantRevoke,
  },
  {
    name: "audit",
    about: "Lists who read what and when, who signed in, and what was granted and ended, newest first.",
    load: async () => (await import("./audit.ts")).audit,
  },
  {
    name: "token owner",
    about: "Makes a token of the owner's, who may do everything, and prints it: this once and never again.",
    load: async () => (await import("./tokens.ts")).tokenOwner,
  },
  {
    name: "token introspection",
    about:
      "Makes a credential with which a resource server apart asks about tokens, and prints it: this once.",
    operands: ["NAME"],
    load: async () => (await import("./tokens.ts")).tokenIntrospection,
  },
  {
    name: "token list",
    about: "Lists every token and credential that works, by an id that opens nothing.",
    load: async () => (await import("./tokens.ts")).tokenList,
  },
  {
    name: "token revoke",
    about: "Ends a token or credential from the next request on.",
    operands: ["ID"],
    load: async () => (await import("./tokens.ts")).tokenRevoke,
  },
  {
    name: "backup",
    about: "Copies the database into a file of SQLite while it is in use, and checks the copy.",
    operands: ["FILE"],
    load: async () => (await import("./backup.ts")).backup,
  },
  {
    name: "copy",
    about:
      "Copies everything into an empty database, SQLite or PostgreSQL, and proves by digest that it is the same.",
    load: async () => (await import("./copy.ts")).copy,
  },
  {
    name: "doctor",
    about: "Checks the database, its index and blobs, who can read them, and a token; says what to do.",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  {
    name: "connect",
    about: "Asks the owner of a server for a grant in a browser, and saves its token for the commands below.",
    operands: ["URL"],
    load: async () => (await import("./connect.ts")).connectCommand,
  },
  ...listReadCommands(),
  {
    name: "export",
    about: "Writes every granted record with its whole text into a file, one on each line.",
    load: async () => (await import("./export.ts")).exportRecordsCommand,
  },
  {
    name: "mcp",
    about: "Serves an MCP host over standard input and output, under the token of a grant.",
    load: async () => (await import("./mcp.ts")).mcp,
  },
];

function listReadCommands(): CommandEntry[] {
  return Object.entries(READ_COMMANDS).map(([operation, { command: name, about, operands }]) => ({
    name,
    about,
    operands: Object.values(operands),
    load: () => loadReadCommand(operation as ReadName),
  }));
}

async function loadReadCommand(operation: ReadName): Promise<Command> {
  if (operation === "read_blob") return (await import("./blob.ts")).blob;
  return (await import("../reads/read-command.ts")).createReadCommand(operation);
}
