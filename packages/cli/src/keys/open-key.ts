/** The key of a database file, from its envelope. */
import { resolve } from "node:path";
import { ApiError } from "@rungs/contract";
import { type Envelope, envelopePath, parseEnvelope, readEnvelope, unsealKey } from "./envelope.ts";
import { type KeyEnvironment, openKeeper } from "./keepers.ts";

/** How a child process gets the key. Other users of the machine cannot see the environment. */
const HANDED_OVER = "RUNGS_DATABASE_KEY";

/** Keys by sealed key, so that each passphrase is asked for once. */
const opened = new Map<string, Uint8Array>();
/** The keys of PostgreSQL databases by their addresses. */
const openedOf = new Map<string, readonly Uint8Array[]>();

/** The keys of a PostgreSQL database, from its envelope; two while its rows are being resealed with a new one. */
export async function openEnvelope(
  url: string,
  text: string,
  env: KeyEnvironment,
): Promise<readonly Uint8Array[]> {
  const envelope = parseEnvelope(text);
  if (envelope === undefined)
    throw new ApiError("key_missing", {
      message:
        "The envelope in the table rungs_seal, which opens the sealed rows of the database, is damaged.",
      next: "Put the table rungs_seal back from a backup of PostgreSQL.",
    });
  const known = envelope.keys.flatMap((sealed) => opened.get(sealed) ?? []);
  const handed = env[HANDED_OVER];
  const keys =
    known.length === envelope.keys.length
      ? known
      : handed === undefined
        ? await unsealAll(envelope, env)
        : handed.split(",").map((key) => Buffer.from(key, "hex"));
  openedOf.set(url, keys);
  return keys;
}

async function unsealAll({ keys, keeper }: Envelope, env: KeyEnvironment): Promise<Uint8Array[]> {
  const with_key = await openKeeper(keeper, env);
  return keys.map((sealed) => {
    const key = unsealKey(sealed, with_key);
    if (key === undefined) throw wrongKey(keeper.kind);
    opened.set(sealed, key);
    return key;
  });
}

/** The key of a database; undefined for a plain one. */
export async function openKey(file: string, env: KeyEnvironment): Promise<Uint8Array | undefined> {
  const envelope = readEnvelope(file);
  if (envelope === undefined) return undefined;
  const known = envelope.keys.length === 1 ? opened.get(envelope.keys[0] ?? "") : undefined;
  if (known !== undefined) return known;
  const handed = env[HANDED_OVER];
  if (handed !== undefined) return Buffer.from(handed, "hex");
  return chooseKey(file, envelope, await openKeeper(envelope.keeper, env));
}

/** The key that opens the file: an interrupted `rungs encrypt --new-key` leaves two. */
async function chooseKey(
  file: string,
  { keys, keeper }: Envelope,
  with_key: Uint8Array,
): Promise<Uint8Array> {
  const { connect } = await import("@rungs/store/sqlite");
  for (const sealed of keys) {
    const key = unsealKey(sealed, with_key);
    if (key === undefined) throw wrongKey(keeper.kind);
    if (keys.length > 1 && !opens(() => connect(file, { timeout: 5_000, readOnly: true, key }).close()))
      continue;
    opened.set(sealed, key);
    return key;
  }
  throw new ApiError("key_wrong", {
    message: `${envelopePath(file)} is the envelope of another database: its key does not open ${file}.`,
    next: "Put the envelope back that was beside it; each backup has its own.",
  });
}

function opens(connect: () => void): boolean {
  try {
    connect();
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === "key_wrong") return false;
    throw error;
  }
}

const wrongWords = {
  passphrase: "The passphrase does not open the database.",
  keychain: "The key in the system's keychain does not open the database.",
  file: "The key in the key file does not open the database.",
};

function wrongKey(kind: keyof typeof wrongWords): ApiError {
  return new ApiError("key_wrong", { message: wrongWords[kind] });
}

/** The environment for a process that opens the same database. */
export function handOverKey(place: KeyedPlace): KeyEnvironment {
  const keys = place.kind === "sqlite" ? findKeyOf(place.file) : (openedOf.get(place.url) ?? []);
  if (keys.length === 0) return {};
  return { [HANDED_OVER]: keys.map((key) => Buffer.from(key).toString("hex")).join(",") };
}

type KeyedPlace =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

function findKeyOf(file: string): readonly Uint8Array[] {
  const { keys = [] } = readEnvelope(resolve(file)) ?? {};
  return keys.flatMap((sealed) => opened.get(sealed) ?? []).slice(0, 1);
}
