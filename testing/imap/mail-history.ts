/** Random histories of a mailbox: what a person, a mail program and a provider do to it. */
import type { ImapFlow } from "imapflow";
import type { Random } from "../random.ts";
import { type SyncWorld, writeMessage } from "./sync-world.ts";

const FLAGS = ["\\Seen", "\\Flagged", "\\Answered", "\\Draft", "\\Deleted"];
const FOLDERS = ["Work", "Archive", "Öffentlich", "a b"];

type Step = (box: ImapFlow, random: Random, ids: string[]) => Promise<unknown>;

const steps: Readonly<Record<string, Step>> = {
  async arrive(box, random, ids) {
    const folder = random.pick(await listFolders(box));
    for (let count = random.int(1, 4); count > 0; count -= 1) {
      const id = `${ids.length}@history`;
      ids.push(id);
      await box.append(folder, writeMessage(id), random.some(FLAGS.slice(0, 3), 0.3));
    }
  },
  async copy(box, random, ids) {
    if (ids.length > 0) await box.append(random.pick(await listFolders(box)), writeMessage(random.pick(ids)));
  },
  async move(box, random) {
    const to = random.pick(await listFolders(box));
    const uid = await pickMessage(box, random, to);
    if (uid) await box.messageMove(uid, to, { uid: true });
  },
  async flag(box, random) {
    const uid = await pickMessage(box, random);
    if (uid) await box.messageFlagsAdd(uid, [random.pick(FLAGS)], { uid: true });
  },
  async unflag(box, random) {
    const uid = await pickMessage(box, random);
    if (uid) await box.messageFlagsRemove(uid, [random.pick(FLAGS)], { uid: true });
  },
  async expunge(box, random) {
    const uid = await pickMessage(box, random);
    if (uid) await box.messageDelete(uid, { uid: true });
  },
  async create(box, random) {
    const folder = random.pick(FOLDERS);
    if (!(await listFolders(box)).includes(folder)) await box.mailboxCreate(folder);
  },
  async rename(box, random) {
    const folders = await listFolders(box);
    const [from, to] = [random.pick(folders), random.pick(FOLDERS)];
    if (from !== "INBOX" && !folders.includes(to)) await box.mailboxRename(from, to);
  },
  /** The same name, and messages with new numbers. */
  async renumber(box, random, ids) {
    const folder = random.pick(await listFolders(box));
    if (folder === "INBOX") return;
    await box.mailboxDelete(folder);
    await box.mailboxCreate(folder);
    for (const id of random.some(ids, 0.3)) await box.append(folder, writeMessage(id));
  },
  async remove(box, random) {
    const folder = random.pick(await listFolders(box));
    if (folder !== "INBOX") await box.mailboxDelete(folder);
  },
};

const OFTEN = ["arrive", "arrive", "copy", "move", "move", "flag", "unflag", "expunge", "create", "create"];
const SELDOM = ["rename", "renumber", "remove"];

/**
 * Makes one random change, or restarts the server; returns what it did. `ids` collects all messages that ever existed.
 */
export async function changeMailbox(world: SyncWorld, random: Random, ids: string[]): Promise<string> {
  if (random.chance(0.04)) {
    (await world.box()).close();
    await world.server.restart();
    return "restart";
  }
  const name = random.pick(random.chance(0.15) ? SELDOM : OFTEN);
  const box = await world.box();
  if (box.mailbox) await box.mailboxClose();
  await steps[name]?.(box, random, ids);
  if (box.mailbox) await box.mailboxClose();
  return name;
}

async function listFolders(box: ImapFlow): Promise<string[]> {
  return (await box.list()).filter(({ flags }) => !flags.has("\\Noselect")).map(({ path }) => path);
}

async function pickMessage(box: ImapFlow, random: Random, except?: string): Promise<string | undefined> {
  const folder = random.pick((await listFolders(box)).filter((path) => path !== except));
  if (folder === undefined) return undefined;
  const opened = await box.mailboxOpen(folder);
  if (opened.exists === 0) return undefined;
  const uids = (await box.search({ all: true }, { uid: true })) || [];
  return uids.length === 0 ? undefined : String(random.pick(uids));
}
