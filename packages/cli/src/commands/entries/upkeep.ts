/** Backups, copies, checks and the service. */
import type { GroupEntry } from "../../command/command.ts";

export const upkeepCommands: readonly GroupEntry[] = [
  {
    name: "backup",
    about: "Copies the database into a SQLite file while it is in use, and verifies the copy.",
    operands: ["[TO]"],
    load: async () => (await import("../backup.ts")).backup,
  },
  {
    name: "restore",
    about: "Restores a verified backup; what was revoked or deleted since stays so.",
    operands: ["FILE"],
    load: async () => (await import("../restore.ts")).restore,
  },
  {
    name: "copy",
    about: "Copies everything into an empty database, SQLite or PostgreSQL, and verifies the copy by digest.",
    load: async () => (await import("../copy.ts")).copy,
  },
  {
    name: "encrypt",
    about:
      "Encrypts the database, or changes its key or what keeps it: a passphrase, the keychain or a file.",
    load: async () => (await import("../encrypt.ts")).encrypt,
  },
  {
    name: "decrypt",
    about: "Writes an encrypted database as a plain file again.",
    load: async () => (await import("../encrypt.ts")).decrypt,
  },
  {
    name: "shard-plan",
    about: "Prints or creates the tables of an empty PostgreSQL database, spread by owner.",
    load: async () => (await import("../shard-plan.ts")).shardPlan,
  },
  {
    name: "doctor",
    about:
      "Checks the database, its index and blobs, file permissions and a token; says how to fix problems.",
    load: async () => (await import("../doctor.ts")).doctor,
  },
  {
    name: "service install",
    about: "Lets the system start the server at every sign-in, by systemd or launchd; shows the file first.",
    load: async () => (await import("../service.ts")).serviceInstall,
  },
  {
    name: "service remove",
    about: "Stops that service and removes its file. The data stays.",
    load: async () => (await import("../service.ts")).serviceRemove,
  },
];
