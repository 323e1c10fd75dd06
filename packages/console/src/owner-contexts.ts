/** The context of each owner's pages: no owner's pages see another's figures, uploads or requests. */
import { createActivityReader, type OwnerContext } from "@rungs/server";
import type { ConsoleContext } from "./context.ts";
import { createFiguresReader } from "./figures/source-figures.ts";
import { createKeptUploads } from "./imports/kept-uploads.ts";

/** The owner's actions on the pages besides reading. */
export type OwnerServices = Pick<ConsoleContext, "consents" | "importFile" | "syncs">;

/** What the console needs from the program that composes the server; the owner is the first. */
export interface ConsoleOptions
  extends Omit<OwnerContext, "now">,
    Partial<Pick<OwnerContext, "now">>,
    Pick<ConsoleContext, "base_url" | "formats"> {
  /** What every command on this machine needs to find this data, such as ` --home DIR`, where the pages may show it. */
  readonly command_options?: string | undefined;
  /** What an owner can do; nothing by default. */
  readonly servicesOf?: ((owner: OwnerContext) => OwnerServices) | undefined;
}

/** The context of an owner's pages; of the first owner's, for pages that need no session. */
export type ContextOf = (owner_id?: string) => ConsoleContext;

/** Evicting an owner's context loses only cached figures and activity, and inspected uploads. */
const CONTEXTS_MAX = 200;

export function createOwnerContexts(
  { servicesOf = () => ({}), ...options }: ConsoleOptions & OwnerContext,
  shared: Pick<ConsoleContext, "signIn" | "fetch" | "importTurns">,
): ContextOf {
  const contexts = new Map<string, ConsoleContext>();
  return (owner_id = options.owner_id) => {
    const owner = { ...options, owner_id };
    const context = contexts.get(owner_id) ?? {
      ...options,
      ...shared,
      ...owner,
      command_options: `${options.command_options ?? ""}${owner_id === options.owner_id ? "" : ` --owner ${owner_id}`}`,
      ...servicesOf(owner),
      readFigures: createFiguresReader(owner),
      readActivity: createActivityReader(owner),
      uploads: createKeptUploads(),
    };
    // The least recently used goes first.
    contexts.delete(owner_id);
    contexts.set(owner_id, context);
    const [oldest] = contexts.keys();
    if (contexts.size > CONTEXTS_MAX && oldest !== undefined) contexts.delete(oldest);
    return context;
  };
}
