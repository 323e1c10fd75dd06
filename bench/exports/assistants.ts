/** Exports of conversations with assistants. */
import type { BenchRecord } from "../corpus.ts";
import { createTexts, inGroups, secondsOf } from "./texts.ts";
import type { ExportFile } from "./write-files.ts";

const MESSAGE_CHARS = 900;
const MESSAGES = 14;
/** One conversation in this many has an uploaded text. */
const UPLOAD_EVERY = 10;

/** ChatGPT's export: conversations as trees with a branch, and uploads. */
export function* chatgptFiles(bytes: number): Generator<ExportFile> {
  const conversations: object[] = [];
  for (const texts of inGroups(createTexts(bytes, MESSAGE_CHARS), MESSAGES)) {
    const hasUpload = conversations.length % UPLOAD_EVERY === 0;
    conversations.push(writeTree(texts, hasUpload));
    if (hasUpload) yield { path: `file-${texts[0]!.id}-notes.txt`, content: texts[0]!.body };
  }
  yield { path: "conversations.json", content: JSON.stringify(conversations) };
  yield { path: "user.json", content: JSON.stringify({ id: "user-1", email: "reader@example.org" }) };
}

function writeTree(texts: readonly BenchRecord[], hasUpload: boolean): object {
  const [first] = texts;
  const nodes = texts.map((text, at) => ({
    id: text.id,
    message: writeNodeMessage(text, at, hasUpload),
    parent: texts[parentOf(at)]?.id ?? "root",
    children: texts.filter((_, child) => child > 0 && parentOf(child) === at).map(({ id }) => id),
  }));
  const root = { id: "root", message: null, parent: null, children: [first!.id] };
  return {
    title: first!.subject,
    create_time: secondsOf(first!),
    update_time: secondsOf(texts.at(-1)!),
    mapping: Object.fromEntries([root, ...nodes].map((node) => [node.id, node])),
    moderation_results: [],
    current_node: texts.at(-1)!.id,
    conversation_id: `c-${first!.id}`,
    id: `c-${first!.id}`,
    default_model_slug: "gpt-4o",
    is_archived: false,
  };
}

/** The fifth has the same parent as the fourth: a branch. */
function parentOf(at: number): number {
  return at === 4 ? 2 : at - 1;
}

function writeNodeMessage(text: BenchRecord, at: number, hasUpload: boolean): object {
  const upload = {
    id: `file-${text.id}`,
    name: "notes.txt",
    size: text.body.length,
    mime_type: "text/plain",
  };
  return {
    id: text.id,
    author: { role: at % 2 === 0 ? "user" : "assistant", name: null, metadata: {} },
    create_time: secondsOf(text),
    update_time: null,
    content: { content_type: "text", parts: [text.body] },
    status: "finished_successfully",
    end_turn: true,
    weight: 1,
    metadata: at === 0 && hasUpload ? { attachments: [upload] } : { model_slug: "gpt-4o" },
    recipient: "all",
    channel: null,
  };
}

/** Claude's export: conversations of blocks, with the texts of uploads, and projects. */
export function* claudeFiles(bytes: number): Generator<ExportFile> {
  const groups = [...inGroups(createTexts(bytes, MESSAGE_CHARS), MESSAGES)];
  yield { path: "conversations.json", content: JSON.stringify(groups.map(writeConversation)) };
  const projects = groups.filter((_, at) => at % UPLOAD_EVERY === 0).map(writeProject);
  yield { path: "projects.json", content: JSON.stringify(projects) };
  yield { path: "users.json", content: JSON.stringify([{ uuid: "user-1", full_name: "A Reader" }]) };
}

function writeConversation(texts: readonly BenchRecord[]): object {
  const [first] = texts;
  return {
    uuid: `c-${first!.id}`,
    name: first!.subject,
    created_at: first!.sent_at,
    updated_at: texts.at(-1)!.sent_at,
    account: { uuid: "user-1" },
    chat_messages: texts.map((text, at) => writeChatMessage(text, at, texts[at - 1])),
  };
}

function writeChatMessage(text: BenchRecord, at: number, before: BenchRecord | undefined): object {
  const { id, subject, body, sent_at } = text;
  const thinking = { type: "thinking", thinking: subject, start_timestamp: sent_at };
  const said = { type: "text", text: body, citations: [], start_timestamp: sent_at };
  const upload = {
    file_name: "notes.txt",
    file_size: subject.length,
    file_type: "txt",
    extracted_content: subject,
  };
  return {
    uuid: id,
    text: body,
    content: at % 2 === 0 ? [said] : [thinking, said],
    sender: at % 2 === 0 ? "human" : "assistant",
    created_at: sent_at,
    updated_at: sent_at,
    attachments: at === 0 ? [upload] : [],
    files: [],
    parent_message_uuid: before?.id ?? "00000000-0000-4000-8000-000000000000",
  };
}

function writeProject([first]: readonly BenchRecord[]): object {
  const { id, subject, body, sent_at } = first!;
  return {
    uuid: `p-${id}`,
    name: subject,
    description: subject,
    is_private: true,
    prompt_template: subject,
    creator: { uuid: "user-1", full_name: "A Reader" },
    created_at: sent_at,
    updated_at: sent_at,
    docs: [{ uuid: `d-${id}`, filename: "plan.md", content: body, created_at: sent_at }],
  };
}
