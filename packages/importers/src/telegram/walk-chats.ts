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

/** A chat, one of its messages, or what could not be read, in the order of the file. */
export type Found =
  | { readonly kind: "chat"; readonly chat: Chat; readonly place: string }
  | {
      readonly kind: "message";
      readonly chat: Chat;
      readonly value: unknown;
      readonly place: string;
      /** How many messages of the file were met with this one. */
      readonly count: number;
    }
  | RejectedItem;

/** Goes through a `result.json` of any size, of one chat or of an account, past its first `done` messages. */
export async function* walkChats(file: FileEntry, done: number): AsyncGenerator<Found> {
  const walk = new ChatWalk(file.path, done);
  try {
    for await (const piece of splitJson(file.open(), { choose: (path) => walk.choose(path) })) {
      const spot = findSpot(piece.path);
      if (piece.kind === "problem") {
        yield { kind: "rejected", place: walk.placeOf(piece.path, piece.at_byte), reason: piece.reason };
      } else if (spot?.member === "messages") {
        yield* walk.meetChat(spot.chat);
        const place = walk.placeOf(piece.path, piece.at_byte);
        yield { kind: "message", chat: walk.chat, value: piece.value, place, count: walk.count };
      } else if (spot) {
        yield* walk.endChat(spot.chat);
        walk.header.set(spot.member, piece.value);
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

/** The chat that a path is in, as the path to it, and the chat's member; undefined outside of chats. */
function findSpot(
  path: JsonPath,
): { readonly chat: string; readonly member: string; readonly depth: number } | undefined {
  const start = LISTS.has(path[0]) ? 3 : 0;
  const member = path[start];
  if (typeof member !== "string") return undefined;
  return { chat: path.slice(0, start).join(" "), member, depth: path.length - start };
}

/** Where the walk is: the chat it is in, and how much of it was told. */
class ChatWalk {
  count = 0;
  readonly header = new Map<string, unknown>();
  readonly #file: string;
  readonly #done: number;
  #chat: string | undefined;
  #told = true;

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
    this.#told ||= this.#chat === spot.chat;
    return "skip";
  }

  /** A message of a chat comes: tells of the chat before its first. */
  *meetChat(chat: string): Generator<Found> {
    yield* this.endChat(chat);
    if (!this.#told) yield { kind: "chat", chat: this.chat, place: this.#file };
    this.#told = true;
  }

  /** Another chat begins: tells of the former one if it had no messages. */
  *endChat(next: string | undefined): Generator<Found> {
    if (next === this.#chat) return;
    if (!this.#told && this.header.size > 0 && this.count >= this.#done) {
      yield { kind: "chat", chat: this.chat, place: this.#file };
    }
    this.header.clear();
    this.#chat = next;
    this.#told = false;
  }

  get chat(): Chat {
    const kind = asText(this.header.get("type"));
    const name =
      asText(this.header.get("name")) ?? (kind === "saved_messages" ? "Saved messages" : undefined);
    return { id: asId(this.header.get("id")) ?? name ?? `chat ${this.#chat}`, name, kind };
  }

  placeOf(path: JsonPath, at_byte: number): string {
    const numbers = path.filter((part) => typeof part === "number").map((index) => index + 1);
    const message = numbers.pop();
    const chat = numbers.length > 0 ? `chat ${numbers.join(".")}, ` : "";
    return `${this.#file}, ${chat}${message === undefined ? "" : `message ${message} `}at byte ${at_byte}`;
  }
}
