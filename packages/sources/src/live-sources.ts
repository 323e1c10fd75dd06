import { ApiError } from "@rungs/contract";
import { connector } from "./connector/connector.ts";
import { caldav, carddav } from "./dav/dav.ts";
import { folder } from "./folder/folder.ts";
import { imap } from "./imap/imap.ts";
import type { LiveSource, SourceSettings } from "./live-source.ts";
import { isThisMachine } from "./this-machine.ts";

/** Every kind of source. */
export const liveSources: readonly LiveSource[] = [imap, caldav, carddav, folder, connector];

/** Finds a kind of source by its name; throws `invalid_request`. */
export function requireSource(kind: string): LiveSource {
  const source = liveSources.find((each) => each.kind === kind);
  if (source) return source;
  throw new ApiError("invalid_request", {
    param: "kind",
    message: `There is no kind of source ${kind}.`,
    next: `Choose one of ${liveSources.map((each) => each.kind).join(", ")}.`,
  });
}

/** Whether a source is on this machine: on its disk, or at a server that it reaches under its own name. */
export function readsThisMachine(source: {
  readonly kind: string;
  readonly settings: SourceSettings;
}): boolean {
  const { describe, requireSettings } = requireSource(source.kind);
  const { hosts } = describe(requireSettings(source.settings));
  return hosts.length === 0 || hosts.some((host) => isThisMachine(host.replace(/(?<=[^:]):\d+$/, "")));
}
