/** Chrome's history in a Google Takeout: `BrowserHistory.json`, later `History.json`. */
import type { RejectedItem } from "@rungs/contract";
import type { FileEntry } from "../files/files.ts";
import { readElements } from "../json/read-elements.ts";
import { asEpoch, asObject, asText } from "../json/values.ts";
import type { FoundVisit } from "./found.ts";

const LIST = "Browser History";

/** A member near the beginning of such a file. */
export const TAKEOUT_HISTORY = new RegExp(
  `^\\s*\\{[\\s\\S]*"${LIST}"\\s*:\\s*\\[\\s*(?:\\]|\\{[\\s\\S]*"time_usec"\\s*:)`,
);

/** A visit with its checkpoint. */
export interface TakeoutVisit extends FoundVisit {
  readonly checkpoint: string;
  readonly place: string;
}

/** The visits after the first `done`, the newest first. */
export async function* readTakeoutHistory(
  entry: FileEntry,
  done: number,
): AsyncGenerator<TakeoutVisit | RejectedItem> {
  let [last, keys] = ["", new Set<string>()];
  for await (const element of readElements([entry], { noun: "visit", list: LIST, done })) {
    if (element.kind === "rejected") {
      yield element;
      continue;
    }
    const { place, checkpoint } = element;
    const { url: address, title, time_usec } = asObject(element.value);
    const [url, visited_at] = [asText(address), asEpoch(time_usec, 1000)];
    if (url === undefined || visited_at === undefined) {
      yield { kind: "rejected", place, checkpoint, reason: "Not a visit: it has no address, or no time." };
      continue;
    }
    // A redirection to the same page at the same time is one visit.
    if (visited_at !== last) [last, keys] = [visited_at, new Set()];
    if (keys.has(url)) continue;
    keys.add(url);
    yield { kind: "visit", title: asText(title) ?? "", url, visited_at, place, checkpoint };
  }
}
