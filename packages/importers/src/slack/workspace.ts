/** The lists at the root of an export: the people and the conversations of the workspace. */
import type { ImportedItem } from "@rungs/contract";
import type { FileEntry, Files } from "../files/files.ts";
import { readElements } from "../json/read-elements.ts";
import { asFlag, asObject, asText, asTexts, asTime, type ExportedObject, isObject } from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { findUserName, type Names } from "./names.ts";
import type { ChannelName } from "./read-message.ts";

const CHANNEL_LISTS: Readonly<Record<string, string>> = {
  "channels.json": "public",
  "groups.json": "private",
  "mpims.json": "group",
  "dms.json": "direct",
};

/** What the lists tell about a workspace. */
export interface Workspace {
  readonly names: Names;
  /** By the folder with the days of the channel. */
  readonly folders: Map<string, ChannelName>;
}

/** Whether a file has the name of a list of people or conversations. */
export function isWorkspaceList(name: string): boolean {
  return name === "users.json" || Object.hasOwn(CHANNEL_LISTS, name);
}

/** The folders with such lists, the shortest first, each with a trailing `/` unless it is the root. */
export function listRoots(entries: readonly FileEntry[]): string[] {
  const roots = entries.flatMap(({ path }) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return isWorkspaceList(name) ? [path.slice(0, -name.length)] : [];
  });
  return [...new Set(roots)].toSorted((a, b) => a.length - b.length);
}

/** Yields the records of people and channels, and remembers their names. */
export async function* readWorkspace(
  files: Files,
  root: string,
  { names, folders }: Workspace,
): AsyncGenerator<ImportedItem> {
  const workspace = { names, folders };
  const users = await files.find(`${root}users.json`);
  yield* readList(users, "user", (value, id, place) => addUser(value, { id, place, workspace }));
  for (const [list, kind] of Object.entries(CHANNEL_LISTS)) {
    const channels = await files.find(`${root}${list}`);
    yield* readList(channels, "channel", (value, id, place) =>
      addChannel(value, { id, place, workspace, kind }),
    );
  }
}

/** Where a person or a channel was read, and where to remember its name. */
interface Listed {
  readonly id: string;
  readonly place: string;
  readonly workspace: Workspace;
}

/** The record of a person, whose name is remembered. */
export function addUser(value: ExportedObject, { id, place, workspace: { names } }: Listed): ImportedItem {
  const name = findUserName(value) ?? id;
  const bot_id = asText(asObject(value.profile).bot_id);
  for (const known of bot_id === undefined ? [id] : [id, bot_id]) names.users.set(known, name);
  return toRecordItem("users", place, { id: joinKey(id), name, ...describeUser(value) });
}

/** The record of a channel, whose name is remembered. */
export function addChannel(
  value: ExportedObject,
  { id, place, workspace: { names, folders }, kind }: Listed & { readonly kind: string },
): ImportedItem {
  const name = findChannelName(value, names) ?? id;
  names.channels.set(id, name);
  folders.set(asText(value.name) ?? id, { channel_id: id, channel: name });
  return toRecordItem("channels", place, { id: joinKey(id), name, kind, ...describeChannel(value, names) });
}

async function* readList(
  file: FileEntry | undefined,
  noun: string,
  read: (value: ExportedObject, id: string, place: string) => ImportedItem,
): AsyncGenerator<ImportedItem> {
  for await (const element of readElements(file ? [file] : [], { noun })) {
    if (element.kind === "rejected") yield { ...element, checkpoint: undefined };
    else {
      const { value, place } = element;
      const id = isObject(value) ? asText(value.id) : undefined;
      yield isObject(value) && id !== undefined
        ? read(value, id, place)
        : { kind: "rejected", place, reason: `Not a ${noun}: it has no id.` };
    }
  }
}

/** A direct message has no name, and the name of a group consists of accounts: both are named by their members. */
function findChannelName({ name, members }: ExportedObject, { users }: Names): string | undefined {
  const given = asText(name);
  if (given !== undefined && !given.startsWith("mpdm-")) return given;
  return asText(
    asTexts(members)
      .map((id) => users.get(id) ?? id)
      .join(", "),
  );
}

function describeUser(user: ExportedObject): object {
  const profile = asObject(user.profile);
  return {
    real_name: asText(user.real_name) ?? asText(profile.real_name),
    title: asText(profile.title),
    email: asText(profile.email),
    time_zone: asText(user.tz),
    is_bot: asFlag(user.is_bot),
    is_deleted: asFlag(user.deleted),
  };
}

function describeChannel(channel: ExportedObject, { users }: Names): object {
  const creator = asText(channel.creator);
  return {
    topic: asText(asObject(channel.topic).value),
    purpose: asText(asObject(channel.purpose).value),
    created_at: asTime(channel.created),
    creator: creator === undefined ? undefined : (users.get(creator) ?? creator),
    members: asTexts(channel.members).map((id) => users.get(id) ?? id),
    is_archived: asFlag(channel.is_archived),
  };
}
