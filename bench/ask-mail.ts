/** Known-item search in real mail: queries built from one message's words, whose only right answer is that message. */
import type { BlobRef } from "@rungs/evidence";
import { listTerms } from "@rungs/evidence";
import { openFiles, requireImporter } from "@rungs/importers";
import { loadForms } from "@rungs/store/internal/forms";
import { Random } from "../testing/random.ts";
import { type AskData, type AskQuestion, type AskRecord, createAskData } from "./ask-data.ts";

const CONNECTION = "mail";
const SEED = 7;
/** How many queries of each kind. */
const QUERIES = 100;
/** The range of message counts that makes a word rare. */
const RARE = { least: 2, most: 30 };
const PLAIN_WORD = /^[a-z]{4,}$/u;

export interface KnownItems {
  readonly data: AskData;
  readonly kinds: Readonly<Record<string, readonly AskQuestion[]>>;
}

interface Message {
  readonly key: string;
  /** The words of the subject, without reply marks. */
  readonly subject: readonly string[];
  /** The words outside quotations. */
  readonly words: ReadonlySet<string>;
}

/** Reads an mbox, and makes queries of each kind; the same file gives the same queries. */
export async function createKnownItems(file: string): Promise<KnownItems> {
  const records = await readMessages(file);
  const messages = records.map(toMessage);
  const counts = new Map<string, number>();
  for (const { words } of messages) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const { isForm } = await loadForms([]);
  const kinds = createQueries(messages, counts, isForm);
  return { data: createAskData(structuredClone(requireImporter("mail").manifest), records, []), kinds };
}

async function readMessages(file: string): Promise<AskRecord[]> {
  const files = await openFiles(file);
  const noBlob: BlobRef = {
    blob_id: `blob_sha256_${"0".repeat(64)}`,
    mime_type: "",
    size_bytes: 0,
    sha256: "",
  };
  const source = {
    files,
    putBlob: async () => noBlob,
    extractText: async () => ({ status: "unsupported" }) as never,
    note: () => undefined,
  };
  const records = new Map<string, AskRecord>();
  for await (const item of requireImporter("mail").read(source)) {
    if (item.kind !== "record" || item.stream !== "messages") continue;
    const { stream, key, data } = item;
    const emitted_at = "2026-01-01T00:00:00Z";
    records.set(String(key), { connection: CONNECTION, envelope: { stream, key, data, emitted_at } });
  }
  await files.close();
  return [...records.values()];
}

function toMessage({ envelope }: AskRecord): Message {
  const { subject = "", body = "" } = envelope.data as { subject?: string; body?: string };
  const unquoted = body.split("\n").filter((line) => !/^\s*>/u.test(line));
  return {
    key: String(envelope.key),
    subject: listWords(subject).filter((word) => !["re", "fw", "fwd"].includes(word)),
    words: new Set(listWords(unquoted.join("\n"))),
  };
}

function listWords(text: string): string[] {
  return listTerms(text).map(({ term }) => term);
}

function createQueries(
  messages: readonly Message[],
  counts: ReadonlyMap<string, number>,
  isForm: (term: string, wanted: string) => boolean,
): Record<string, AskQuestion[]> {
  const random = new Random(SEED);
  const sameSubject = Map.groupBy(messages, ({ subject }) => subject.join(" "));
  const isRare = (word: string) => {
    const count = counts.get(word) ?? 0;
    return PLAIN_WORD.test(word) && count >= RARE.least && count <= RARE.most;
  };
  const kinds: Record<string, AskQuestion[]> = {
    "3 rare words": [],
    subject: [],
    question: [],
    "1 inflected": [],
    "1 typo": [],
    "1 absent of 6": [],
  };
  const add = (kind: string, words: readonly string[], evidence: readonly string[]) => {
    const list = kinds[kind] as AskQuestion[];
    if (list.length < QUERIES) list.push({ connection: CONNECTION, question: words.join(" "), evidence });
  };
  for (const { key, subject, words } of shuffle(messages, random)) {
    const rare = shuffle([...words].filter(isRare), random);
    if (rare.length < 6) continue;
    const five = rare.slice(0, 5) as [string, string, string, string, string];
    const [first, second, third] = five;
    add("3 rare words", [first, second, third], [key]);
    if (subject.length >= 3) {
      add(
        "subject",
        subject,
        (sameSubject.get(subject.join(" ")) ?? []).map((one) => one.key),
      );
      const plain = subject.filter((word) => PLAIN_WORD.test(word));
      if (plain.length > 0)
        add(
          "question",
          `what was said about ${first} and ${second} in the ${random.pick(plain)} message`.split(" "),
          [key],
        );
    }
    const inflected = inflect(first);
    if (isForm(inflected, first) && !words.has(inflected))
      add("1 inflected", [inflected, second, third], [key]);
    const typo = misspell(first, random);
    if (first.length >= 5 && !counts.has(typo)) add("1 typo", [typo, second, third], [key]);
    const other = [...random.pick(messages).words].filter((word) => isRare(word) && !words.has(word));
    if (other.length > 0) add("1 absent of 6", shuffle([...five, random.pick(other)], random), [key]);
    if (Object.values(kinds).every(({ length }) => length === QUERIES)) break;
  }
  return kinds;
}

function inflect(word: string): string {
  if (word.endsWith("ing")) return `${word.slice(0, -3)}ed`;
  if (word.endsWith("ed")) return `${word.slice(0, -2)}ing`;
  return word.endsWith("s") ? word.slice(0, -1) : `${word}s`;
}

/** Swaps, drops or replaces a letter that is not the first. */
function misspell(word: string, random: Random): string {
  const at = random.int(1, word.length - 2);
  const [before, letter, next, after] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
  const edits = [`${next}${letter}`, `${next}`, `${random.pick([..."aeiourstn"])}${next}`];
  return `${before}${random.pick(edits)}${after}`;
}

function shuffle<T>(list: readonly T[], random: Random): T[] {
  const left = [...list];
  for (let at = left.length - 1; at > 0; at -= 1) {
    const other = random.below(at + 1);
    [left[at], left[other]] = [left[other] as T, left[at] as T];
  }
  return left;
}
