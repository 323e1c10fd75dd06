import { posix } from "node:path";
import { buffer } from "node:stream/consumers";
import type { KindFile } from "../export/file-kinds.ts";
import type { FileEntry } from "../files/files.ts";
import type { ImportSource } from "../importer.ts";
import { parseExactJson } from "../json/parse-json.ts";
import { asId, asObject, asObjects, asText, type ExportedObject } from "../json/values.ts";

/** A channel or a direct conversation. */
export interface Channel {
  readonly id: string;
  readonly name?: string | undefined;
  readonly kind?: string | undefined;
  readonly server?: string | undefined;
  readonly topic?: string | undefined;
  readonly members: readonly string[];
}

/** What the readers of an export share. */
export interface DiscordContext {
  readonly source: ImportSource;
  /** Names of channels and servers by their id, from the lists of a data package. */
  readonly names: ReadonlyMap<string, string>;
  /** Channels by the path of their file or folder. */
  readonly channels: Map<string, Channel>;
  /** The account that a data package belongs to. */
  readonly owner: { readonly id?: string | undefined; readonly name?: string | undefined };
  /** The channels that already have a record. */
  readonly reported: Set<string>;
}

const FACTS_MAX_BYTES = 16 * 1024 * 1024;

/** Parses a small JSON file; returns an empty object for one that is broken or too large. */
async function readFacts(file: FileEntry): Promise<ExportedObject> {
  if (file.size_bytes > FACTS_MAX_BYTES) return {};
  return asObject(parseExactJson((await buffer(file.open())).toString()));
}

/** Collects the names that messages of a data package refer to. */
export async function prepareDiscord(
  source: ImportSource,
  found: readonly KindFile<DiscordContext>[],
): Promise<DiscordContext> {
  const names = new Map<string, string>();
  const channels = new Map<string, Channel>();
  let owner: DiscordContext["owner"] = {};
  for (const { file, kind } of found) {
    if (kind.noun === "list") {
      for (const [id, name] of Object.entries(await readFacts(file)))
        if (asText(name)) names.set(id, String(name));
    } else if (kind.noun === "account") {
      const user = await readFacts(file);
      owner = { id: asId(user.id), name: asText(user.global_name) ?? asText(user.username) };
    } else if (kind.noun === "channel") {
      const channel = await readFacts(file);
      channels.set(posix.dirname(file.path), describeChannel(channel, file));
    }
  }
  return { source, names, channels, owner, reported: new Set() };
}

function describeChannel(channel: ExportedObject, file: FileEntry): Channel {
  const folder = posix.basename(posix.dirname(file.path)).replace(/^c/, "");
  return {
    id: asId(channel.id) ?? folder,
    name: asText(channel.name),
    kind: nameKind(channel.type),
    server: asText(asObject(channel.guild).name),
    members: [...asObjects(channel.recipients).flatMap(({ username }) => asText(username) ?? [])],
  };
}

/** https://docs.discord.com/developers/resources/channel#channel-object-channel-types */
function nameKind(type: unknown): string | undefined {
  const name = {
    0: "channel",
    1: "direct",
    2: "voice",
    3: "group",
    5: "channel",
    10: "thread",
    11: "thread",
    12: "thread",
  };
  return name[type as keyof typeof name] ?? asText(type)?.toLowerCase();
}
