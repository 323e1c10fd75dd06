/** Data that comes in and goes out. */
import type { GroupEntry } from "../../command/command.ts";

export const dataCommands: readonly GroupEntry[] = [
  {
    name: "import",
    about:
      "Imports exports: mail, chats, documents, tables. Detects the format from the content; safe to run again.",
    operands: ["PATH…"],
    load: async () => (await import("../import.ts")).importFiles,
  },
  {
    name: "ingest",
    about: "Adds records from any program to a connection, one per line of a file or of standard input.",
    operands: ["CONNECTION", "[FILE]"],
    load: async () => (await import("../ingest.ts")).ingest,
  },
  {
    name: "imports",
    about: "Lists running and past imports with what they stored and rejected.",
    load: async () => (await import("../imports.ts")).imports,
  },
  {
    name: "connections",
    about: "Lists connections and streams with their record counts and time ranges.",
    load: async () => (await import("../connections.ts")).connections,
  },
  {
    name: "delete",
    about: "Deletes a connection, a stream, some records or one record for good, after a preview.",
    operands: ["WHAT"],
    load: async () => (await import("../delete.ts")).deleteCommand,
  },
  {
    name: "embeddings show",
    about: "Shows what compares texts by meaning, where text goes, and how many records are embedded.",
    load: async () => (await import("../embeddings.ts")).embeddingsShow,
  },
  {
    name: "embeddings use",
    about: "Lets an OpenAI-compatible embedding service compare texts by meaning.",
    operands: ["URL"],
    load: async () => (await import("../embeddings.ts")).embeddingsUse,
  },
  {
    name: "embeddings builtin",
    about: "Switches back to the built-in vectors of English words.",
    load: async () => (await import("../embeddings.ts")).embeddingsBuiltin,
  },
  {
    name: "embeddings off",
    about: "Deletes the vectors: searches use words alone.",
    load: async () => (await import("../embeddings.ts")).embeddingsOff,
  },
  {
    name: "embeddings build",
    about: "Embeds the records that have no vectors yet, until all have.",
    load: async () => (await import("../embeddings.ts")).embeddingsBuild,
  },
  {
    name: "sync add",
    about: "Adds a source that is read again and again, such as a mailbox, after signing in to it once.",
    operands: ["KIND", "ADDRESS"],
    load: async () => (await import("../sync.ts")).syncAdd,
  },
  {
    name: "sync list",
    about: "Lists the syncs with the hosts that they connect to, the last run and the next.",
    load: async () => (await import("../sync.ts")).syncList,
  },
  {
    name: "sync run",
    about: "Runs one sync, or all, now.",
    operands: ["[ID]"],
    load: async () => (await import("../sync.ts")).syncRun,
  },
  {
    name: "sync log",
    about: "Lists the last runs of a sync: what was added, changed and deleted, and what went wrong.",
    operands: ["ID"],
    load: async () => (await import("../sync.ts")).syncLog,
  },
  {
    name: "sync pause",
    about: "Pauses a sync until it is resumed.",
    operands: ["ID"],
    load: async () => (await import("../sync.ts")).syncPause,
  },
  {
    name: "sync resume",
    about: "Resumes a paused sync.",
    operands: ["ID"],
    load: async () => (await import("../sync.ts")).syncResume,
  },
  {
    name: "sync password",
    about: "Replaces the password of a sync after trying it.",
    operands: ["ID"],
    load: async () => (await import("../sync.ts")).syncPassword,
  },
  {
    name: "sync answer",
    about: "Answers a question of a running connector, such as a code.",
    operands: ["ID"],
    load: async () => (await import("../sync.ts")).syncAnswer,
  },
  {
    name: "sync remove",
    about: "Forgets a sync and its password; its records stay.",
    operands: ["ID"],
    load: async () => (await import("../sync.ts")).syncRemove,
  },
  {
    name: "sync watch",
    about: "Runs due syncs until it is stopped, as rungs serve does.",
    load: async () => (await import("../sync.ts")).syncWatch,
  },
];
