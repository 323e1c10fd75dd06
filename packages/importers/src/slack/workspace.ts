/** The lists at the root of an export: who is in the workspace, and which conversations there are. */
import type { ImportedItem } from "@rungs/contract";
import type { FileEntry, Files } from "../files/files.ts";
import { readElements } from "../json/read-elements.ts";
import { flagOf, isObject, type JsonObject, objectOf, textOf, textsOf, timeOf } from "../json/values.ts";
import { keyOf, recordItem } from "../record-item.ts";
import { type Names, nameOfUser } from "./names.ts";
import type { ChannelName } from "./read-message.ts";

const CHANNEL_LISTS: Readonly<Record<string, string>> = {
  "channels.json": "public",
  "groups.json": "private",
  "mpims.json": "group",
  "dms.json": "direct",
};

/** What is known of a workspace once its lists are read. */
export interface Workspace {
  readonly names: Names;
  /** By the folder that holds the channel's days. */
  readonly folders: Map<string, ChannelName>;
}

/** The path of the folder that the lists are in, with a `/` at its end unless it is the root; undefined when there is none. */
export async function findRoot(files: Files): Promise<string | undefined> {
  const roots: string[] = [];
  for await (const { path } of files.list()) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (name === "users.json" || Object.hasOwn(CHANNEL_LISTS, name)) roots.push(path.slice(0, -name.length));
  }
  // At the root or in one folder, as it was packed or unpacked; deeper it is part of something else.
  return roots.toSorted((a, b) => a.length - b.length).find((root) => root.split("/").length <= 2);
}

/** Gives the records of people and channels, and remembers what they are called. */
export async function* readWorkspace(
  files: Files,
  root: string,
  { names, folders }: Workspace,
): AsyncGenerator<ImportedItem> {
  yield* readList(await files.find(`${root}users.json`), "user", (value, id, place) => {
    const name = nameOfUser(value) ?? id;
    const bot_id = textOf(objectOf(value.profile).bot_id);
    for (const known of bot_id === undefined ? [id] : [id, bot_id]) names.users.set(known, name);
    return recordItem("users", place, { id: keyOf(id), name, ...describeUser(value) });
  });
  for (const [list, kind] of Object.entries(CHANNEL_LISTS)) {
    yield* readList(await files.find(`${root}${list}`), "channel", (value, id, place) => {
      const name = nameOfChannel(value, names) ?? id;
      names.channels.set(id, name);
      folders.set(textOf(value.name) ?? id, { channel_id: id, channel: name });
      return recordItem("channels", place, { id: keyOf(id), name, kind, ...describeChannel(value, names) });
    });
  }
}

async function* readList(
  file: FileEntry | undefined,
  noun: string,
  read: (value: JsonObject, id: string, place: string) => ImportedItem,
): AsyncGenerator<ImportedItem> {
  for await (const element of readElements(file ? [file] : [], { noun })) {
    if (element.kind === "rejected") yield { ...element, checkpoint: undefined };
    else {
      const { value, place } = element;
      const id = isObject(value) ? textOf(value.id) : undefined;
      yield isObject(value) && id !== undefined
        ? read(value, id, place)
        : { kind: "rejected", place, reason: `It is no ${noun}: it has no id.` };
    }
  }
}

/** A direct message has no name of its own, and a group's is made of accounts: both go by who is in them. */
function nameOfChannel({ name, members }: JsonObject, { users }: Names): string | undefined {
  const given = textOf(name);
  if (given !== undefined && !given.startsWith("mpdm-")) return given;
  return textOf(
    textsOf(members)
      .map((id) => users.get(id) ?? id)
      .join(", "),
  );
}

function describeUser(user: JsonObject): object {
  const profile = objectOf(user.profile);
  return {
    real_name: textOf(user.real_name) ?? textOf(profile.real_name),
    title: textOf(profile.title),
    email: textOf(profile.email),
    time_zone: textOf(user.tz),
    is_bot: flagOf(user.is_bot),
    is_deleted: flagOf(user.deleted),
  };
}

function describeChannel(channel: JsonObject, { users }: Names): object {
  const creator = textOf(channel.creator);
  return {
    topic: textOf(objectOf(channel.topic).value),
    purpose: textOf(objectOf(channel.purpose).value),
    created_at: timeOf(channel.created),
    creator: creator === undefined ? undefined : (users.get(creator) ?? creator),
    members: textsOf(channel.members).map((id) => users.get(id) ?? id),
    is_archived: flagOf(channel.is_archived),
  };
}
