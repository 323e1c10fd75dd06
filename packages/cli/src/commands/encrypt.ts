import { existsSync } from "node:fs";
import type { TableDigest } from "@rungs/store";
import { isPlainFile } from "@rungs/store/sqlite";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { type DatabasePlace, resolvePlace } from "../home/database.ts";
import { ensureHome } from "../home/home.ts";
import { createKeyEnvelope, decryptDatabase, encryptDatabase } from "../keys/convert-database.ts";
import { readEnvelope, removeEnvelope, sealKey, writeEnvelope } from "../keys/envelope.ts";
import { createKeeper, type KeeperChoice, newPassphraseIn, openKeeper } from "../keys/keepers.ts";
import { openKey } from "../keys/open-key.ts";
import { adviseOnPlain, listPlainFiles } from "../keys/plain-files.ts";
import { openServer, sealServer } from "../keys/seal-server.ts";

const where = {
  passphrase: "your passphrase",
  keychain: "the key in this system's keychain",
  file: "the key file",
} as const;

/** `rungs encrypt`: encrypts the database, or changes its key or who keeps it. */
export const encrypt: Command = {
  details: [
    "Choose what keeps the key: --passphrase, --keychain or --key-file. For an encrypted database, this changes the keeper; --new-key rewrites the data under a new key.",
    "Stop the server and imports first. It needs as much free space as the database has, and can be interrupted at any time.",
    "Without its key nobody can read the data, neither here nor in backups.",
    "On PostgreSQL it seals long texts, files, index blocks and vectors. Shorter values stay readable there: docs/security.md says what does.",
  ],
  options: {
    passphrase: {
      type: "boolean",
      about: "a passphrase, asked for at every start (env RUNGS_PASSPHRASE_FILE, RUNGS_PASSPHRASE)",
    },
    keychain: { type: "boolean", about: "the keychain of this system; needs the package @napi-rs/keyring" },
    "key-file": {
      type: "string",
      value: "FILE",
      about: "a file with the key, created if missing (env RUNGS_KEY_FILE overrides it later)",
    },
    "new-key": { type: "boolean", about: "rewrite an encrypted database under a new key" },
  },
  async run(call) {
    const choice = readChoice(call);
    const place = resolvePlace(call);
    if (place.kind === "postgres") {
      reportServer(call, await sealServer(call, place, { choice, isNew: call.flag("new-key") }));
      return Exit.done;
    }
    const file = requireFile(place);
    const { env } = call.io;
    const envelope = isPlainFile(file) ? undefined : readEnvelope(file);
    if (envelope === undefined) {
      const opened = await createKeeper(choice ?? { kind: "passphrase" }, env);
      const digests = existsSync(file) ? await encryptPlain(file, opened) : createKeyEnvelope(file, opened);
      report(call, { file, done: "encrypted", digests, keeper: opened.keeper.kind });
      return Exit.done;
    }
    const isNew = call.flag("new-key");
    if (choice === undefined && !isNew)
      throw new UsageError(
        `${file} is encrypted: add --passphrase, --keychain or --key-file to change what keeps its key, or --new-key to change the key.`,
      );
    const key = await openKey(file, env);
    const opened =
      choice === undefined
        ? { keeper: envelope.keeper, key: await openKeeper(envelope.keeper, env) }
        : await createKeeper(choice, newPassphraseIn(env));
    if (isNew && key !== undefined) {
      const digests = await encryptDatabase(file, key, opened);
      report(call, { file, done: "encrypted under a new key", digests, keeper: opened.keeper.kind });
    } else if (key !== undefined) {
      writeEnvelope(file, { version: 1, keeper: opened.keeper, keys: [sealKey(key, opened.key)] });
      report(call, {
        file,
        done: "still encrypted under the same key",
        digests: [],
        keeper: opened.keeper.kind,
      });
    }
    return Exit.done;
  },
};

/** `rungs decrypt`: writes the database as a plain file again. */
export const decrypt: Command = {
  details: ["Stop the server and imports first. It can be interrupted at any time. Backups stay encrypted."],
  async run(call) {
    const place = resolvePlace(call);
    if (place.kind === "postgres") {
      reportServer(call, await openServer(call, place));
      return Exit.done;
    }
    const file = requireFile(place);
    if (!existsSync(file)) throw new UsageError(`There is no database at ${file}.`);
    if (isPlainFile(file)) {
      // An interrupted conversion leaves a plain file with an envelope.
      removeEnvelope(file);
      report(call, { file, done: "plain", digests: [] });
      return Exit.done;
    }
    const key = await openKey(file, call.io.env);
    if (key === undefined)
      throw new UsageError(`${file} has no envelope: it is not encrypted, or it is damaged.`);
    report(call, { file, done: "decrypted", digests: await decryptDatabase(file, key) });
    return Exit.done;
  },
};

async function encryptPlain(file: string, opened: Awaited<ReturnType<typeof createKeeper>>) {
  removeEnvelope(file);
  return encryptDatabase(file, undefined, opened);
}

function requireFile({ home, file }: DatabasePlace & { kind: "sqlite" }): string {
  if (home !== undefined) ensureHome(home);
  return file;
}

function readChoice({ option, flag }: CommandCall): KeeperChoice | undefined {
  const path = option("key-file");
  const choices: KeeperChoice[] = [
    ...(flag("passphrase") ? [{ kind: "passphrase" } as const] : []),
    ...(flag("keychain") ? [{ kind: "keychain" } as const] : []),
    ...(path === undefined ? [] : [{ kind: "file", path } as const]),
  ];
  if (choices.length > 1) throw new UsageError("Choose one of --passphrase, --keychain and --key-file.");
  return choices[0];
}

function reportServer(
  { io, flag }: CommandCall,
  { done, row_count, keeper }: Awaited<ReturnType<typeof sealServer>>,
): void {
  if (flag("json")) {
    io.out(JSON.stringify({ state: done, keeper: keeper ?? null, rows: row_count }));
    return;
  }
  io.out(
    [
      `The long rows of the PostgreSQL database are ${done}: ${row_count} rows were written again.`,
      ...(keeper === undefined
        ? []
        : [
            `Only ${where[keeper]} opens them and backups: if that is lost, nobody can read them again.`,
            "Short values, names, times and sizes are not sealed: docs/security.md says what the database still shows.",
          ]),
      ...(row_count === 0
        ? []
        : ["The write-ahead log, replicas, backups and the disk may keep former bytes for some time."]),
    ].join("\n"),
  );
}

interface Outcome {
  readonly file: string;
  readonly done: string;
  readonly digests: readonly TableDigest[];
  readonly keeper?: keyof typeof where;
}

function report({ io, flag }: CommandCall, { file, done, digests, keeper }: Outcome): void {
  const plain = keeper === undefined ? [] : listPlainFiles(file);
  if (flag("json")) {
    io.out(
      JSON.stringify({ file, state: done, keeper: keeper ?? null, tables: digests, plain_files: plain }),
    );
    return;
  }
  const rows = digests.reduce((sum, { row_count }) => sum + row_count, 0);
  io.out(
    [
      `${file} is ${done}.`,
      ...(digests.length === 0
        ? []
        : [`All ${rows} rows of ${digests.length} tables were read back with equal digests.`]),
      ...(keeper === undefined
        ? []
        : [
            `Only ${where[keeper]} opens it and its backups: if that is lost, nobody can read the data again.`,
          ]),
      ...plain.map((path) => `Still plain: ${path}. ${adviseOnPlain(file, path)}`),
      ...(done === "encrypted" && digests.length > 0
        ? ["The disk may keep bytes of the former file until it needs their space."]
        : []),
    ].join("\n"),
  );
}
