/** Reads a data set of questions: `manifest.json`, `records.jsonl`, `questions.jsonl`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, type RecordEnvelope, requireManifest } from "@rungs/contract";

export interface AskRecord {
  readonly connection: string;
  readonly envelope: RecordEnvelope;
}

/** A question inside a connection, with the keys of the records that answer it. */
export interface AskQuestion {
  readonly connection: string;
  readonly question: string;
  readonly evidence: readonly string[];
}

export interface AskData {
  readonly manifest: Manifest;
  readonly stream: string;
  /** All fields of the stream. */
  readonly fields: readonly string[];
  /** The fields that are searched. */
  readonly searched: readonly string[];
  readonly records: readonly AskRecord[];
  readonly questions: readonly AskQuestion[];
}

/** Roles that fields of these names get when the manifest declares none. */
const ROLES: Readonly<Record<string, string>> = { speaker: "actor", session: "thread" };

interface DeclaredManifest {
  streams: {
    name: string;
    query?: { search?: { lexical_fields?: string[] } };
    schema: { properties: Record<string, { x_pdpp_role?: string }> };
  }[];
}

export function readQuestions(folder: string): AskData {
  const declared = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as unknown;
  return createAskData(
    declared,
    readRecords(folder),
    readLines<AskQuestion>(join(folder, "questions.jsonl")),
  );
}

/** A data set of one stream; gives fields their roles. */
export function createAskData(
  declared: unknown,
  records: readonly AskRecord[],
  questions: readonly AskQuestion[],
): AskData {
  const [stream] = (declared as DeclaredManifest).streams;
  if (!stream) throw new Error("The manifest declares no stream.");
  const { properties } = stream.schema;
  for (const [field, role] of Object.entries(ROLES))
    if (properties[field]) properties[field].x_pdpp_role ??= role;
  return {
    manifest: requireManifest(declared),
    stream: stream.name,
    fields: Object.keys(properties),
    searched: stream.query?.search?.lexical_fields ?? [],
    records,
    questions,
  };
}

export function groupByConnection(records: readonly AskRecord[]): Map<string, RecordEnvelope[]> {
  const groups = new Map<string, RecordEnvelope[]>();
  for (const { connection, envelope } of records) {
    const group = groups.get(connection);
    if (group) group.push(envelope);
    else groups.set(connection, [envelope]);
  }
  return groups;
}

function readRecords(folder: string): AskRecord[] {
  return readLines<RecordEnvelope & { connection: string }>(join(folder, "records.jsonl")).map(
    ({ connection, ...envelope }) => ({ connection, envelope }),
  );
}

function readLines<T>(file: string): T[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as T);
}
