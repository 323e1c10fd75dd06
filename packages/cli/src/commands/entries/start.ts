/** Serving data, and signing in. */
import type { GroupEntry } from "../../command/command.ts";

export const startCommands: readonly GroupEntry[] = [
  {
    name: "demo",
    about:
      "Serves sample data from its own directory, with a grant and the configuration of common MCP hosts.",
    load: async () => (await import("../demo.ts")).demo,
  },
  {
    name: "serve",
    about: "Serves the data over HTTP until it is stopped.",
    load: async () => (await import("../serve.ts")).serve,
  },
  {
    name: "status",
    about: "Shows what is served, how much data there is, and who read today.",
    load: async () => (await import("../status.ts")).status,
  },
  {
    name: "login-link",
    about: "Prints a one-time link that signs the owner in to the console.",
    load: async () => (await import("../login-link.ts")).loginLink,
  },
];
