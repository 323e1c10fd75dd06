/** Exports of chats between people: many short messages. */
import type { BenchRecord } from "../corpus.ts";
import { createTexts, inGroups, numberOf, secondsOf } from "./texts.ts";
import type { ExportFile } from "./write-files.ts";

const MESSAGE_CHARS = 140;
const PEOPLE = ["Ada", "Bob", "Carol", "Dan", "Eve", "Frank", "Grace"];

function personOf(text: BenchRecord): number {
  return numberOf(text) % PEOPLE.length;
}

const CHANNELS = ["general", "harbour", "workshop", "reading"];

/** A Slack workspace: messages with their blocks and profiles, in a file for each channel and day. */
export function* slackFiles(bytes: number): Generator<ExportFile> {
  yield { path: "users.json", content: JSON.stringify(PEOPLE.map(writeUser)) };
  yield { path: "channels.json", content: JSON.stringify(CHANNELS.map(writeChannel)) };
  const days = Map.groupBy(createTexts(bytes, MESSAGE_CHARS), (text) => {
    const channel = CHANNELS[numberOf(text) % CHANNELS.length];
    return `${channel}/${text.sent_at.slice(0, 10)}.json`;
  });
  for (const [path, texts] of days) {
    yield { path, content: JSON.stringify(texts.map(writeSlackMessage), undefined, 4) };
  }
}

function writeUser(name: string, at: number): object {
  const profile = { real_name: `${name} Stone`, display_name: name, email: `${name}@example.org` };
  return { id: `U${at}`, name: name.toLowerCase(), real_name: `${name} Stone`, tz: "Europe/Berlin", profile };
}

function writeChannel(name: string, at: number): object {
  const members = PEOPLE.map((_, person) => `U${person}`);
  const about = { value: `All about ${name}`, creator: "U0", last_set: 1_600_000_000 };
  return { id: `C${at}`, name, created: 1_600_000_000, creator: "U0", members, topic: about, purpose: about };
}

function writeSlackMessage(text: BenchRecord): object {
  const person = personOf(text);
  const name = PEOPLE[person]!;
  const section = { type: "rich_text_section", elements: [{ type: "text", text: text.body }] };
  return {
    client_msg_id: text.id,
    type: "message",
    text: `${text.body} <@U${(person + 1) % PEOPLE.length}>`,
    user: `U${person}`,
    ts: `${secondsOf(text)}.000100`,
    team: "T1",
    user_team: "T1",
    user_profile: { real_name: `${name} Stone`, display_name: name, name: name.toLowerCase(), team: "T1" },
    blocks: [{ type: "rich_text", block_id: text.id, elements: [section] }],
    ...(person === 0 ? { reactions: [{ name: "tea", users: ["U1", "U2"], count: 2 }] } : {}),
  };
}

/** One chat of WhatsApp as iOS writes it; every tenth message has a second line. */
export function* whatsappLines(bytes: number): Generator<string> {
  for (const text of createTexts(bytes, MESSAGE_CHARS)) {
    const [date = "", time = ""] = text.sent_at.slice(0, 19).split("T");
    const more = numberOf(text) % 10 === 0 ? `\r\n${text.subject}` : "";
    yield `[${date.split("-").reverse().join("/")}, ${time}] ${PEOPLE[personOf(text)]}: ${text.body.trim()}${more}\r\n`;
  }
}

const CHAT_MESSAGES = 5_000;

/** A Telegram account's `result.json`, with several chats. */
export function* telegramPieces(bytes: number): Generator<string> {
  yield '{\n "about": "Here is the data you requested from Telegram.",\n "chats": {\n  "about": "All chats.",\n  "list": [';
  let number = 0;
  for (const texts of inGroups(createTexts(bytes, MESSAGE_CHARS), CHAT_MESSAGES)) {
    const messages = texts.map((text, at) => writeTelegramMessage(text, at + 1));
    const chat = { name: `Boat club ${number}`, type: "private_group", id: 4321 + number, messages };
    yield `${number === 0 ? "" : ","}\n${JSON.stringify(chat, undefined, 1)}`;
    number += 1;
  }
  yield "\n  ]\n }\n}\n";
}

function writeTelegramMessage(text: BenchRecord, id: number): object {
  const person = personOf(text);
  const hasLink = person === 1;
  const link = { type: "link", text: "https://example.org/tides" };
  return {
    id,
    type: "message",
    date: text.sent_at.slice(0, 19),
    date_unixtime: String(secondsOf(text)),
    from: PEOPLE[person],
    from_id: `user${person}`,
    ...(id % 4 === 0 ? { reply_to_message_id: id - 1 } : {}),
    text: hasLink ? [text.body, link] : text.body,
    text_entities: [{ type: "plain", text: text.body }, ...(hasLink ? [link] : [])],
  };
}
