/** Who may read what, and who did. */
import type { GroupEntry } from "../../command/command.ts";

export const accessCommands: readonly GroupEntry[] = [
  {
    name: "grant create",
    about: "Lets a client read what you allow, and prints its token once.",
    load: async () => (await import("../grants.ts")).grantCreate,
  },
  {
    name: "grant preview",
    about: "Shows what a grant would open, with counts and samples, without giving it.",
    load: async () => (await import("../grants.ts")).grantPreview,
  },
  {
    name: "grant explain",
    about: "Says why a grant shows a record and its fields, or does not, rule by rule.",
    operands: ["GRANT", "RECORD"],
    load: async () => (await import("../grants.ts")).grantExplain,
  },
  {
    name: "never add",
    about: "Hides a person, values or a record from every client, whatever its grant allows.",
    load: async () => (await import("../never.ts")).neverAdd,
  },
  {
    name: "never preview",
    about: "Counts what a rule would hide, without adding it.",
    load: async () => (await import("../never.ts")).neverPreview,
  },
  {
    name: "never list",
    about: "Lists what is hidden from every client.",
    load: async () => (await import("../never.ts")).neverList,
  },
  {
    name: "never remove",
    about: "Removes a rule; grants again decide about what it hid.",
    operands: ["RULE"],
    load: async () => (await import("../never.ts")).neverRemove,
  },
  {
    name: "events list",
    about: "Lists the clients that are notified when granted data changes.",
    load: async () => (await import("../events.ts")).eventsList,
  },
  {
    name: "events end",
    about: "Ends a subscription, so that its client is no longer notified.",
    operands: ["SUBSCRIPTION"],
    load: async () => (await import("../events.ts")).eventsEnd,
  },
  {
    name: "events addresses",
    about: "Lists the approved addresses for clients' messages.",
    load: async () => (await import("../events.ts")).eventsAddresses,
  },
  {
    name: "events allow",
    about: "Approves an https address for clients' messages.",
    operands: ["ADDRESS"],
    load: async () => (await import("../events.ts")).eventsAllow,
  },
  {
    name: "events forbid",
    about: "Withdraws the approval of an address, and drops its pending messages.",
    operands: ["ADDRESS"],
    load: async () => (await import("../events.ts")).eventsForbid,
  },
  {
    name: "preset save",
    about: "Saves what a grant allows under a name, for rungs grant create --preset NAME.",
    operands: ["NAME"],
    load: async () => (await import("../presets.ts")).presetSave,
  },
  {
    name: "preset list",
    about: "Lists the presets with what they allow.",
    load: async () => (await import("../presets.ts")).presetList,
  },
  {
    name: "preset remove",
    about: "Forgets a preset; grants that were made from it stay.",
    operands: ["NAME"],
    load: async () => (await import("../presets.ts")).presetRemove,
  },
  {
    name: "grant list",
    about: "Lists every grant, including revoked and expired ones.",
    load: async () => (await import("../grants.ts")).grantList,
  },
  {
    name: "grant show",
    about: "Shows what a grant allows.",
    operands: ["ID"],
    load: async () => (await import("../grants.ts")).grantShow,
  },
  {
    name: "grant revoke",
    about: "Ends a grant from the next request on.",
    operands: ["ID"],
    load: async () => (await import("../grants.ts")).grantRevoke,
  },
  {
    name: "audit",
    about:
      "Lists the audit log, newest first: who read what and when, sign-ins, and changes of grants and tokens.",
    load: async () => (await import("../audit.ts")).audit,
  },
  {
    name: "owner invite",
    about: "Creates a one-time link with which somebody becomes an owner on this server.",
    operands: ["NAME"],
    load: async () => (await import("../owner.ts")).ownerInvite,
  },
  {
    name: "owner list",
    about: "Lists the owners of this server with sizes and quotas, and the open invitations.",
    load: async () => (await import("../owner.ts")).ownerList,
  },
  {
    name: "owner quota",
    about: "Limits the records, bytes and requests of an owner, or shows the limits.",
    operands: ["NAME"],
    load: async () => (await import("../owner.ts")).ownerQuota,
  },
  {
    name: "owner admin",
    about: "Lets an owner invite, limit and remove others in the console, without seeing what they have.",
    operands: ["NAME"],
    load: async () => (await import("../owner.ts")).ownerAdmin,
  },
  {
    name: "owner remove",
    about: "Deletes an owner with everything they have, for good.",
    operands: ["NAME"],
    load: async () => (await import("../owner.ts")).ownerRemove,
  },
  {
    name: "token owner",
    about: "Creates an owner token, which may do everything, and prints it once.",
    load: async () => (await import("../tokens.ts")).tokenOwner,
  },
  {
    name: "token write",
    about: "Creates a token that may add records to one connection and read nothing, and prints it once.",
    operands: ["CONNECTION"],
    load: async () => (await import("../tokens.ts")).tokenWrite,
  },
  {
    name: "token introspection",
    about: "Creates a credential for a separate resource server to introspect tokens, and prints it once.",
    operands: ["NAME"],
    load: async () => (await import("../tokens.ts")).tokenIntrospection,
  },
  {
    name: "token list",
    about: "Lists every valid token and credential, by an id that grants no access.",
    load: async () => (await import("../tokens.ts")).tokenList,
  },
  {
    name: "token revoke",
    about: "Ends a token or credential from the next request on.",
    operands: ["ID"],
    load: async () => (await import("../tokens.ts")).tokenRevoke,
  },
];
