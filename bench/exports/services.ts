/** Exports of social networks, notebooks and browsers. */
import { DatabaseSync } from "node:sqlite";
import { makeNoteData, NOTE_STORE_SCHEMA } from "../../testing/files/note-store.ts";
import { createTexts, numberOf, secondsOf } from "./texts.ts";
import type { ExportFile } from "./write-files.ts";

const POST_CHARS = 200;
const MESSAGE_CHARS = 140;
const NOTE_CHARS = 1500;

/** Joins values as a JSON list, one after another. */
function* listJson(values: Iterable<unknown>, [before, after]: readonly [string, string]): Generator<string> {
  let glue = before;
  for (const value of values) {
    yield glue + JSON.stringify(value, undefined, 1);
    glue = ",\n";
  }
  yield after;
}

/** The posts of X (Twitter), every third an answer to the one before. */
export function* twitterPieces(bytes: number): Generator<string> {
  const posts = createTexts(bytes, POST_CHARS).map((text) => ({
    tweet: {
      id_str: String(1_000_000_000_000_000_000n + BigInt(numberOf(text))),
      full_text: text.body.slice(0, 280),
      created_at: "Wed Oct 10 20:19:24 +0000 2018",
      ...(numberOf(text) % 3 === 1
        ? { in_reply_to_status_id_str: String(1_000_000_000_000_000_000n + BigInt(numberOf(text) - 1)) }
        : {}),
      entities: {
        urls: [],
        hashtags: [{ text: "sea" }],
        user_mentions: [{ screen_name: "bob", id_str: "2" }],
      },
      favorite_count: "1",
      retweet_count: "0",
      lang: "en",
    },
  }));
  yield* listJson(posts, ["window.YTD.tweets.part0 = [", "]"]);
}

/** The messages of LinkedIn in ten conversations. */
export function* linkedinLines(bytes: number): Generator<string> {
  yield "CONVERSATION ID,CONVERSATION TITLE,FROM,SENDER PROFILE URL,TO,RECIPIENT PROFILE URLS,DATE,SUBJECT,CONTENT,FOLDER,ATTACHMENTS\n";
  for (const text of createTexts(bytes, MESSAGE_CHARS)) {
    const date = `${text.sent_at.slice(0, 19).replace("T", " ")} UTC`;
    yield `2-${numberOf(text) % 10},,Ada,https://l.example/ada,Bob,https://l.example/bob,${date},,"${text.body} ${text.id}",INBOX,\n`;
  }
}

/** A conversation of Messenger. */
export function* messengerPieces(bytes: number): Generator<string> {
  const messages = createTexts(bytes, MESSAGE_CHARS).map((text) => ({
    sender_name: numberOf(text) % 2 === 0 ? "Ada" : "Bob",
    timestamp_ms: secondsOf(text) * 1000 + numberOf(text),
    content: text.body,
    is_geoblocked_for_viewer: false,
  }));
  const people = '{"participants":[{"name":"Ada"},{"name":"Bob"}],"thread_path":"inbox/ada_1","messages":[';
  yield* listJson(messages, [people, "]}"]);
}

/** The data package of Discord, one channel. */
export function* discordFiles(bytes: number): Generator<ExportFile> {
  const id = "1012345678901234567";
  yield { path: "account/user.json", content: JSON.stringify({ id, username: "ada", discriminator: "0" }) };
  yield { path: `messages/c${id}/channel.json`, content: JSON.stringify({ id, type: 0, name: "sea" }) };
  const messages = createTexts(bytes, MESSAGE_CHARS).map((text) => ({
    ID: String(1_000_000_000_000_000_000n + BigInt(numberOf(text))),
    Timestamp: text.sent_at.slice(0, 19).replace("T", " "),
    Contents: text.body,
    Attachments: "",
  }));
  yield { path: `messages/c${id}/messages.json`, content: [...listJson(messages, ["[", "]"])].join("") };
}

/** Signal's readable export, one chat. */
export function* signalLines(bytes: number): Generator<string> {
  const frames = [
    { version: 1 },
    { recipient: { id: "1", self: {} } },
    { chat: { id: "10", recipientId: "1" } },
  ];
  for (const frame of frames) yield `${JSON.stringify(frame)}\n`;
  for (const text of createTexts(bytes, MESSAGE_CHARS)) {
    const dateSent = String(secondsOf(text) * 1000 + numberOf(text));
    yield `${JSON.stringify({ chatItem: { chatId: "10", authorId: "1", dateSent, standardMessage: { text: { body: text.body } } } })}\n`;
  }
}

/** Searches in My Activity of Google. */
export function* activityPieces(bytes: number): Generator<string> {
  const activities = createTexts(bytes, MESSAGE_CHARS).map((text) => ({
    header: "Search",
    title: `Searched for ${text.body} ${text.id}`,
    titleUrl: `https://www.google.com/search?q=${text.id}`,
    time: text.sent_at,
    products: ["Search"],
  }));
  yield* listJson(activities, ["[", "]"]);
}

/** Chrome's history in a Takeout. */
export function* historyPieces(bytes: number): Generator<string> {
  const visits = createTexts(bytes, 60).map((text) => ({
    page_transition: "LINK",
    title: text.body,
    url: `https://example.org/${text.id}`,
    time_usec: secondsOf(text) * 1_000_000,
  }));
  yield* listJson(visits, ['{"Browser History":[', "]}"]);
}

/** A notebook of Evernote. */
export function* evernotePieces(bytes: number): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?><en-export>';
  for (const { id, subject, body } of createTexts(bytes, NOTE_CHARS))
    yield `<note><title>${subject} ${id}</title><created>20240301T100000Z</created><content><![CDATA[<en-note><p>${body}</p></en-note>]]></content></note>`;
  yield "</en-export>";
}

/** Pages of Notion as Markdown, in a page that holds them. */
export function* notionFiles(bytes: number): Generator<ExportFile> {
  const name = (title: string, at: number) => `${title} ${at.toString(16).padStart(32, "0")}`;
  const home = name("Home", 0);
  yield { path: `${home}.md`, content: "# Home\n\nAll pages\n" };
  for (const text of createTexts(bytes, NOTE_CHARS)) {
    const page = name(`Page ${text.id}`, numberOf(text) + 1);
    yield { path: `${home}/${page}.md`, content: `# ${text.subject}\n\n${text.body}\n` };
  }
}

/** The database of Apple's Notes. */
export function writeNoteStore(path: string, bytes: number): void {
  const database = new DatabaseSync(path);
  database.exec(`${NOTE_STORE_SCHEMA} BEGIN`);
  const data = database.prepare("INSERT INTO ZICNOTEDATA VALUES (?, NULL, ?)");
  const note = database.prepare(
    "INSERT INTO ZICCLOUDSYNCINGOBJECT (Z_PK, ZIDENTIFIER, ZTITLE1, ZFOLDER, ZNOTEDATA, ZMODIFICATIONDATE1) VALUES (?, ?, ?, 2, ?, 700000000)",
  );
  for (const text of createTexts(bytes, NOTE_CHARS)) {
    const at = numberOf(text) + 100;
    data.run(at, makeNoteData([{ text: `${text.subject}\n`, style: 0 }, { text: text.body }]));
    note.run(at, text.id, text.subject, at);
  }
  database.exec("COMMIT");
  database.close();
}
