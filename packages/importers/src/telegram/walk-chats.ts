import { ApiError, type RejectedItem } from "@rungs/contract";
import type { FileEntry } from "../files/files.ts";
import type { JsonPath } from "../json/json-frames.ts";
import { splitJson } from "../json/split-json.ts";
import { asId, asText } from "../json/values.ts";

/** A chat of an export. */
export interface Chat {
  readonly id: string;
  readonly name?: string | undefined;
  readonly kind?: string | undefined;
}

/** A chat, a message, or a rejected item, in the order of the file. */
export type Found =
  | { readonly kind: "chat"; readonly chat: Chat; readonly place: string }
  | {
      readonly kind: "message";
      readonly chat: Chat;
      readonly value: unknown;
      readonly place: string;
      /** The number of the message in the file. */
      readonly count: number;
    }
  | RejectedItem;

/** Walks a `result.json` of any size, of one chat or of an account, and skips its first `done` messages. */
export async function* walkChats(file: FileEntry, done: number): AsyncGenerator<Found> {
  const walk = new ChatWalk(file.path, done);
  try {
    for await (const item of splitJson(file.open(), { choose: (path) => walk.choose(path) })) {
      const spot = findSpot(item.path);
      if (item.kind === "problem") {
        yield { kind: "rejected", place: walk.formatPlace(item.path, item.at_byte), reason: item.reason };
      } else if (spot?.member === "messages") {
        yield* walk.meetChat(spot.chat);
        const place = walk.formatPlace(item.path, item.at_byte);
        yield { kind: "message", chat: walk.chat, value: item.value, place, count: walk.count };
      } else if (spot) {
        yield* walk.endChat(spot.chat);
        walk.header.set(spot.member, item.value);
      }
    }
    yield* walk.endChat(undefined);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "file_unreadable") throw error;
    yield { kind: "rejected", place: file.path, reason: error.message };
  }
}

const LISTS = new Set<unknown>(["chats", "left_chats"]);
const HEADER = new Set<unknown>(["id", "name", "type"]);

/** The path of the chat around a value, and the member that the value belongs to; undefined outside chats. */
function findSpot(
  path: JsonPath,
): { readonly chat: string; readonly member: string; readonly depth: number } | undefined {
  const start = LISTS.has(path[0]) ? 3 : 0;
  const member = path[start];
  if (typeof member !== "string") return undefined;
  return { chat: path.slice(0, start).join(" "), member, depth: path.length - start };
}

/** The state of the walk: the current chat, and whether it was reported. */
class ChatWalk {
  count = 0;
  readonly header = new Map<string, unknown>();
  readonly #file: string;
  readonly #done: number;
  #chat: string | undefined;
  #reported = true;

  constructor(file: string, done: number) {
    this.#file = file;
    this.#done = done;
  }

  choose(path: JsonPath): "take" | "enter" | "skip" {
    const spot = findSpot(path);
    if (!spot) return path.length === 0 || LISTS.has(path[0]) ? "enter" : "skip";
    if (spot.member !== "messages") return spot.depth === 1 && HEADER.has(spot.member) ? "take" : "skip";
    if (spot.depth === 1) return "enter";
    this.count += 1;
    if (this.count > this.#done) return "take";
    this.#reported ||= this.#chat === spot.chat;
    return "skip";
  }

  /** Enters a chat: reports it before its first message. */
  *meetChat(chat: string): Generator<Found> {
    yield* this.endChat(chat);
    if (!this.#reported) yield { kind: "chat", chat: this.chat, place: this.#file };
    this.#reported = true;
  }

  /** Leaves a chat: reports it if it had no messages. */
  *endChat(next: string | undefined): Generator<Found> {
    if (next === this.#chat) return;
    if (!this.#reported && this.header.size > 0 && this.count >= this.#done) {
      yield { kind: "chat", chat: this.chat, place: this.#file };
    }
    this.header.clear();
    this.#chat = next;
    this.#reported = false;
  }

  get chat(): Chat {
    const kind = asText(this.header.get("type"));
    const name =
      asText(this.header.get("name")) ?? (kind === "saved_messages" ? "Saved messages" : undefined);
    return { id: asId(this.header.get("id")) ?? name ?? `chat ${this.#chat}`, name, kind };
  }

  formatPlace(path: JsonPath, at_byte: number): string {
    const numbers = path.filter((part) => typeof part === "number").map((index) => index + 1);
    const message = numbers.pop();
    const chat = numbers.length > 0 ? `chat ${numbers.join(".")}, ` : "";
    return `${this.#file}, ${chat}${message === undefined ? "" : `message ${message} `}at byte ${at_byte}`;
  }
}
