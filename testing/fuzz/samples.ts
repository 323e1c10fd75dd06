/** Small files of every import format, for tests that break them. */
import { makeLinkedInExport } from "../files/linkedin.ts";
import { makeMessagesDatabase } from "../files/messages-db.ts";
import { makeDownloadedNotes, makeNoteStore } from "../files/note-store.ts";
import { makeNotionExport, makeNotionPages } from "../files/notion.ts";
import { makeTakeout } from "../files/takeout.ts";
import { makeTwitterArchive } from "../files/twitter.ts";
import { createZip } from "../files/zip.ts";
import { CALENDAR, CONTACT, MBOX, PAGE, WHATSAPP } from "./text-samples.ts";

const CONVERSATION = {
  conversation_id: "c1",
  title: "Bread",
  create_time: 1_704_000_000,
  current_node: "a1",
  mapping: {
    u1: createChatGptNode("u1", null, "user", "Why is it flat?"),
    a1: createChatGptNode("a1", "u1", "assistant", "Let it prove longer."),
  },
};

/** A node of ChatGPT's tree of messages. */
export function createChatGptNode(id: string, parent: string | null, role: string, text: string) {
  const content = { content_type: "text", parts: [text] };
  return { id, parent, message: { id, author: { role }, create_time: 1_704_000_000, content } };
}

const CLAUDE = [
  {
    uuid: "c2",
    name: "Garden",
    chat_messages: [
      {
        uuid: "m1",
        sender: "human",
        text: "See the plan",
        attachments: [{ file_name: "plan.txt", extracted_content: "Bed four" }],
      },
    ],
  },
];

const TELEGRAM = {
  name: "Boat club",
  type: "private_group",
  id: 7,
  messages: [
    {
      id: 1,
      type: "message",
      date_unixtime: "1714550460",
      from: "Bob",
      text: ["The ", { type: "bold", text: "mizzenmast" }],
    },
  ],
};

const SLACK_DAY = [
  { user: "U1", ts: "1700000001.000200", thread_ts: "1700000001.000200", text: "The <@U1> kiln &amp; co" },
];

const ENEX =
  '<?xml version="1.0"?><en-export><note><title>Tea</title><created>20240301T100000Z</created><tag>a</tag><content><![CDATA[<en-note><en-todo checked="true"/>milk</en-note>]]></content><resource><data encoding="base64">SGk=</data><mime>text/plain</mime></resource></note></en-export>';
const BOOKMARKS =
  '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><H3>Bar</H3><DL><p><DT><A HREF="https://a.example/" ADD_DATE="1709283600">A</A><DD>x</DL><p></DL>';
const BOOKMARK_TREE = JSON.stringify({
  roots: {
    other: {
      type: "folder",
      name: "Other",
      children: [{ type: "url", name: "A", url: "https://a.example/", date_added: "13353757200000000" }],
    },
  },
});
const BROWSER_HISTORY = JSON.stringify({
  "Browser History": [
    { title: "A", url: "https://a.example/", time_usec: 1709283600123456, page_transition: "LINK" },
  ],
});
const NOTE = "---\ntags: [a, b]\ndate: 2024-01-01\n---\n# Title\nA [[link]] and text\n";
const ROWS = 'id,when,text\n1,2024-01-01,"a ""b"""\n2,2024-01-02,c\n3,2024-01-03,d\n';

const META_THREAD = {
  participants: [{ name: "Ada" }, { name: "Bob" }],
  messages: [
    {
      sender_name: "Ada",
      timestamp_ms: 1704067260000,
      content: "caf\u00c3\u00a9",
      reactions: [{ reaction: "x", actor: "Bob" }],
    },
    {
      sender_name: "Bob",
      timestamp_ms: 1704067250000,
      photos: [{ uri: "messages/inbox/ada_1/photos/1.png" }],
    },
  ],
  title: "Ada",
  thread_path: "inbox/ada_1",
};
const META_ENCRYPTED = {
  participants: ["Ada", "Bob"],
  threadName: "Ada_7",
  messages: [
    {
      isUnsent: false,
      media: [{ uri: "./media/a.png" }],
      reactions: [],
      senderName: "Ada",
      text: "tea",
      timestamp: 1711913758573,
    },
  ],
};

const DISCORD_CHANNEL = {
  guild: { id: "2", name: "Tea" },
  channel: { id: "3", type: "GuildTextChat", name: "general" },
  exportedAt: "2024-01-01T00:00:00+00:00",
  messages: [
    {
      id: "1112345678901234567",
      type: "Default",
      timestamp: "2023-01-01T10:00:00.5+00:00",
      content: "Tea?",
      author: { id: "1", name: "ada" },
      attachments: [{ url: "general.json_Files/a.png", fileName: "a.png" }],
      embeds: [{ title: "T", fields: [{ name: "a", value: "b" }] }],
      reactions: [{ emoji: { name: "x" }, count: 2 }],
    },
  ],
};
const SIGNAL_FRAMES = [
  { version: 1 },
  { recipient: { id: "1", self: {} } },
  { recipient: { id: "2", contact: { e164: "15550001111", systemGivenName: "Ada" } } },
  { chat: { id: "10", recipientId: "2" } },
  {
    chatItem: {
      chatId: "10",
      authorId: "2",
      dateSent: "1700000000000",
      standardMessage: {
        text: { body: "Tea?" },
        reactions: [{ emoji: "x", authorId: "1" }],
        attachments: [
          { pointer: { contentType: "image/png", locatorInfo: { plaintextHash: "AA==", localKey: "AA==" } } },
        ],
      },
    },
  },
  {
    chatItem: {
      chatId: "10",
      authorId: "2",
      dateSent: "1700000003000",
      updateMessage: { individualCall: {} },
    },
  },
];

/** The files of one export by path, under the format that reads them. */
export const samples: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>> = {
  chatgpt: { "conversations.json": JSON.stringify([CONVERSATION]) },
  claude: { "conversations.json": JSON.stringify(CLAUDE) },
  slack: {
    "users.json": JSON.stringify([{ id: "U1", name: "ada", profile: { display_name: "Ada" } }]),
    "channels.json": JSON.stringify([{ id: "C1", name: "pottery" }]),
    "pottery/2023-11-14.json": JSON.stringify(SLACK_DAY),
    "C012345678.json": JSON.stringify({ channel_id: "C012345678", name: "clay", messages: SLACK_DAY }),
  },
  telegram: { "result.json": JSON.stringify(TELEGRAM) },
  meta: {
    "messages/inbox/ada_1/message_1.json": JSON.stringify(META_THREAD),
    "messages/Ada_7.json": JSON.stringify(META_ENCRYPTED),
    "posts/your_posts_1.json": JSON.stringify([
      {
        timestamp: 1600000000,
        data: [{ post: "Tea" }],
        attachments: [{ data: [{ media: { uri: "a/b.png" } }] }],
      },
    ]),
    "comments/post_comments_1.json": JSON.stringify([
      { string_map_data: { Comment: { value: "nice" }, Time: { timestamp: 1600000005 } } },
    ]),
  },
  discord: {
    "account/user.json": JSON.stringify({ id: "9012345678901234567", username: "ada", discriminator: "0" }),
    "messages/index.json": JSON.stringify({ "1012345678901234567": "tea" }),
    "messages/c1012345678901234567/channel.json": JSON.stringify({
      id: "1012345678901234567",
      type: 0,
      name: "tea",
    }),
    "messages/c1012345678901234567/messages.json":
      '[{"ID":1112345678901234567,"Timestamp":"2023-01-01 10:00:00","Contents":"hi","Attachments":"https://a.example/b.png"}]',
    "messages/c1012345678901234568/messages.csv":
      'ID,Timestamp,Contents,Attachments\n1112345678901234567,2020-05-05 10:00:00,"a ""b"" c",\n',
    "general.json": JSON.stringify(DISCORD_CHANNEL),
  },
  signal: {
    "main.jsonl": SIGNAL_FRAMES.map((frame) => JSON.stringify(frame)).join("\n"),
    "Ada/data.json":
      '{"date":"2024-01-01T10:00:00","sender":"Ada","body":"hi","quote":"> a","sticker":null,"reactions":[["Me","x"]],"attachments":[{"name":"a","path":"media/a"}]}\n',
  },
  twitter: makeTwitterArchive(),
  linkedin: makeLinkedInExport(),
  imessage: { "chat.db": makeMessagesDatabase() },
  google: Object.fromEntries(Object.entries(makeTakeout()).filter(([path]) => /\.(?:json|html)$/.test(path))),
  whatsapp: { "WhatsApp Chat with Bob.txt": WHATSAPP },
  mail: { "all.mbox": MBOX },
  notion: { ...makeNotionExport(), ...makeNotionPages() },
  "apple-notes": { "NoteStore.sqlite": makeNoteStore(), ...makeDownloadedNotes() },
  evernote: { "a.enex": ENEX },
  browser: { "bookmarks.html": BOOKMARKS, Bookmarks: BOOKMARK_TREE, "History.json": BROWSER_HISTORY },
  calendar: { "home.ics": CALENDAR },
  contacts: { "all.vcf": CONTACT },
  table: { "rows.csv": ROWS },
  documents: { "notes/a.md": NOTE, "page.html": PAGE },
};

/** An archive of all of them. */
export const ARCHIVE = createZip(
  Object.entries(samples).flatMap(([format, files]) =>
    Object.entries(files).map(([path, content], at) => ({
      path: `${format}/${path}`,
      content,
      packed: at % 2 === 0,
    })),
  ),
);
