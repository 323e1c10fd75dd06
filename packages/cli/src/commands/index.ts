import type { ReadName } from "@rungs/contract";
import type { Command, CommandEntry } from "../command/command.ts";
import { READ_COMMANDS } from "../command/flags.ts";

/** Every command, in the order of `--help`: first the owner's, then those that read under a token. */
export const commands: readonly CommandEntry[] = [
  {
    name: "demo",
    group: "Start",
    about:
      "Serves sample data from its own directory, with a grant and the configuration of common MCP hosts.",
    load: async () => (await import("./demo.ts")).demo,
  },
  {
    name: "serve",
    group: "Start",
    about: "Serves the data over HTTP until it is stopped.",
    load: async () => (await import("./serve.ts")).serve,
  },
  {
    name: "status",
    group: "Start",
    about: "Shows what is served, how much data there is, and who read today.",
    load: async () => (await import("./status.ts")).status,
  },
  {
    name: "import",
    group: "Data",
    about:
      "Imports exports: mail, chats, documents, tables. Detects the format from the content; safe to run again.",
    operands: ["PATH…"],
    load: async () => (await import("./import.ts")).importFiles,
  },
  {
    name: "ingest",
    group: "Data",
    about: "Takes records of any program into a connection, one on each line of a file or of standard input.",
    operands: ["CONNECTION", "[FILE]"],
    load: async () => (await import("./ingest.ts")).ingest,
  },
  {
    name: "login-link",
    group: "Start",
    about: "Prints a one-time link that signs the owner in to the console.",
    load: async () => (await import("./login-link.ts")).loginLink,
  },
  {
    name: "imports",
    group: "Data",
    about: "Lists running and past imports with what they stored and rejected.",
    load: async () => (await import("./imports.ts")).imports,
  },
  {
    name: "connections",
    group: "Data",
    about: "Lists connections and streams with their record counts and time ranges.",
    load: async () => (await import("./connections.ts")).connections,
  },
  {
    name: "delete",
    group: "Data",
    about: "Deletes a connection, a stream, some records or one record for good, after a preview.",
    operands: ["WHAT"],
    load: async () => (await import("./delete.ts")).deleteCommand,
  },
  {
    name: "completion",
    group: "Start",
    about: "Prints the completion script of a shell: bash, zsh, fish or powershell.",
    operands: ["SHELL"],
    load: async () => (await import("../command/completion.ts")).createCompletion(commands),
  },
  {
    name: "grant create",
    group: "Access",
    about: "Lets a client read what you allow, and prints its token, which is shown only once.",
    load: async () => (await import("./grants.ts")).grantCreate,
  },
  {
    name: "grant preview",
    group: "Access",
    about: "Shows what a grant would open, with counts and samples, without giving it.",
    load: async () => (await import("./grants.ts")).grantPreview,
  },
  {
    name: "grant explain",
    group: "Access",
    about: "Says why a grant shows a record and its fields, or does not, rule by rule.",
    operands: ["GRANT", "RECORD"],
    load: async () => (await import("./grants.ts")).grantExplain,
  },
  {
    name: "never add",
    group: "Access",
    about: "Hides a person, values or a record from every client, whatever its grant allows.",
    load: async () => (await import("./never.ts")).neverAdd,
  },
  {
    name: "never preview",
    group: "Access",
    about: "Counts what a rule would hide, without adding it.",
    load: async () => (await import("./never.ts")).neverPreview,
  },
  {
    name: "never list",
    group: "Access",
    about: "Lists what is hidden from every client.",
    load: async () => (await import("./never.ts")).neverList,
  },
  {
    name: "never remove",
    group: "Access",
    about: "Removes a rule: grants decide again about what it hid.",
    operands: ["RULE"],
    load: async () => (await import("./never.ts")).neverRemove,
  },
  {
    name: "preset save",
    group: "Access",
    about: "Saves what a grant allows under a name, for rungs grant create --preset NAME.",
    operands: ["NAME"],
    load: async () => (await import("./presets.ts")).presetSave,
  },
  {
    name: "preset list",
    group: "Access",
    about: "Lists the presets with what they allow.",
    load: async () => (await import("./presets.ts")).presetList,
  },
  {
    name: "preset remove",
    group: "Access",
    about: "Forgets a preset; grants that were made from it stay.",
    operands: ["NAME"],
    load: async () => (await import("./presets.ts")).presetRemove,
  },
  {
    name: "grant list",
    group: "Access",
    about: "Lists every grant, including revoked and expired ones.",
    load: async () => (await import("./grants.ts")).grantList,
  },
  {
    name: "grant show",
    group: "Access",
    about: "Shows what a grant allows.",
    operands: ["ID"],
    load: async () => (await import("./grants.ts")).grantShow,
  },
  {
    name: "grant revoke",
    group: "Access",
    about: "Ends a grant from the next request on.",
    operands: ["ID"],
    load: async () => (await import("./grants.ts")).grantRevoke,
  },
  {
    name: "audit",
    group: "Access",
    about:
      "Lists the audit log, newest first: who read what and when, sign-ins, and changes of grants and tokens.",
    load: async () => (await import("./audit.ts")).audit,
  },
  {
    name: "token owner",
    group: "Access",
    about: "Creates an owner token, which may do everything, and prints it, only once.",
    load: async () => (await import("./tokens.ts")).tokenOwner,
  },
  {
    name: "token write",
    group: "Access",
    about:
      "Creates a token that may add records to one connection and read nothing, and prints it, only once.",
    operands: ["CONNECTION"],
    load: async () => (await import("./tokens.ts")).tokenWrite,
  },
  {
    name: "token introspection",
    group: "Access",
    about:
      "Creates a credential for a separate resource server to introspect tokens, and prints it, only once.",
    operands: ["NAME"],
    load: async () => (await import("./tokens.ts")).tokenIntrospection,
  },
  {
    name: "token list",
    group: "Access",
    about: "Lists every valid token and credential, by an id that grants no access.",
    load: async () => (await import("./tokens.ts")).tokenList,
  },
  {
    name: "token revoke",
    group: "Access",
    about: "Ends a token or credential from the next request on.",
    operands: ["ID"],
    load: async () => (await import("./tokens.ts")).tokenRevoke,
  },
  {
    name: "embeddings show",
    group: "Data",
    about: "Shows what compares texts by meaning, where text goes, and how many records are embedded.",
    load: async () => (await import("./embeddings.ts")).embeddingsShow,
  },
  {
    name: "embeddings use",
    group: "Data",
    about: "Lets an OpenAI-compatible embedding service compare texts by meaning.",
    operands: ["URL"],
    load: async () => (await import("./embeddings.ts")).embeddingsUse,
  },
  {
    name: "embeddings builtin",
    group: "Data",
    about: "Goes back to the built-in vectors of English words.",
    load: async () => (await import("./embeddings.ts")).embeddingsBuiltin,
  },
  {
    name: "embeddings off",
    group: "Data",
    about: "Deletes the vectors: searches use words alone.",
    load: async () => (await import("./embeddings.ts")).embeddingsOff,
  },
  {
    name: "embeddings build",
    group: "Data",
    about: "Embeds the records that have no vectors yet, until all have.",
    load: async () => (await import("./embeddings.ts")).embeddingsBuild,
  },
  {
    name: "sync add",
    group: "Data",
    about: "Adds a source that is read again and again, such as a mailbox, after signing in to it once.",
    operands: ["KIND", "ADDRESS"],
    load: async () => (await import("./sync.ts")).syncAdd,
  },
  {
    name: "sync list",
    group: "Data",
    about: "Lists what is synced, the hosts that it connects to, the last run and the next.",
    load: async () => (await import("./sync.ts")).syncList,
  },
  {
    name: "sync run",
    group: "Data",
    about: "Reads a source now, or all.",
    operands: ["[ID]"],
    load: async () => (await import("./sync.ts")).syncRun,
  },
  {
    name: "sync log",
    group: "Data",
    about: "Lists the last runs of a sync: what was added, changed and deleted, and what went wrong.",
    operands: ["ID"],
    load: async () => (await import("./sync.ts")).syncLog,
  },
  {
    name: "sync pause",
    group: "Data",
    about: "Pauses a sync until it is resumed.",
    operands: ["ID"],
    load: async () => (await import("./sync.ts")).syncPause,
  },
  {
    name: "sync resume",
    group: "Data",
    about: "Resumes a paused sync.",
    operands: ["ID"],
    load: async () => (await import("./sync.ts")).syncResume,
  },
  {
    name: "sync password",
    group: "Data",
    about: "Replaces the password of a sync after trying it.",
    operands: ["ID"],
    load: async () => (await import("./sync.ts")).syncPassword,
  },
  {
    name: "sync remove",
    group: "Data",
    about: "Forgets a sync and its password; its records stay.",
    operands: ["ID"],
    load: async () => (await import("./sync.ts")).syncRemove,
  },
  {
    name: "sync watch",
    group: "Data",
    about: "Runs syncs when they are due until it is stopped, as rungs serve does.",
    load: async () => (await import("./sync.ts")).syncWatch,
  },
  {
    name: "backup",
    group: "Upkeep",
    about: "Copies the database into a SQLite file while it is in use, and verifies the copy.",
    operands: ["[TO]"],
    load: async () => (await import("./backup.ts")).backup,
  },
  {
    name: "restore",
    group: "Upkeep",
    about: "Puts a backup back after checking it; what was revoked or deleted since stays so.",
    operands: ["FILE"],
    load: async () => (await import("./restore.ts")).restore,
  },
  {
    name: "copy",
    group: "Upkeep",
    about: "Copies everything into an empty database, SQLite or PostgreSQL, and verifies the copy by digest.",
    load: async () => (await import("./copy.ts")).copy,
  },
  {
    name: "doctor",
    group: "Upkeep",
    about:
      "Checks the database, its index and blobs, file permissions and a token; says how to fix problems.",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  {
    name: "service install",
    group: "Upkeep",
    about: "Lets the system start the server at every sign-in, by systemd or launchd; shows the file first.",
    load: async () => (await import("./service.ts")).serviceInstall,
  },
  {
    name: "service remove",
    group: "Upkeep",
    about: "Stops that service and removes its file. The data stays.",
    load: async () => (await import("./service.ts")).serviceRemove,
  },
  {
    name: "connect",
    group: "Read under a grant",
    about:
      "Asks the owner of a server for a grant in a browser, and saves its token for the commands below; or sets up an MCP host.",
    operands: ["[URL]"],
    load: async () => (await import("./connect.ts")).connectCommand,
  },
  ...listReadCommands(),
  {
    name: "export",
    group: "Read under a grant",
    about: "Writes every granted record with its whole text into a file, one on each line.",
    load: async () => (await import("./export.ts")).exportRecordsCommand,
  },
  {
    name: "mcp",
    group: "Read under a grant",
    about: "Serves an MCP host over standard input and output, under the token of a grant.",
    load: async () => (await import("./mcp.ts")).mcp,
  },
];

function listReadCommands(): CommandEntry[] {
  return Object.entries(READ_COMMANDS).map(([operation, { command: name, about, operands }]) => ({
    name,
    group: "Read under a grant",
    about,
    operands: Object.values(operands),
    load: () => loadReadCommand(operation as ReadName),
  }));
}

async function loadReadCommand(operation: ReadName): Promise<Command> {
  if (operation === "read_blob") return (await import("./blob.ts")).blob;
  return (await import("../reads/read-command.ts")).createReadCommand(operation);
}
