import { ApiError } from "@rungs/contract";
import { connector } from "./connector/connector.ts";
import { caldav, carddav } from "./dav/dav.ts";
import { folder } from "./folder/folder.ts";
import { imap } from "./imap/imap.ts";
import type { LiveSource } from "./live-source.ts";

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
