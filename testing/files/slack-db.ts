/** The database of slackdump. */
import { makeDatabase } from "./database.ts";

/** The tables of the database. */
export const SLACK_SCHEMA =
  "CREATE TABLE MESSAGE (ID INTEGER, CHUNK_ID INTEGER, CHANNEL_ID TEXT, TS TEXT, DATA BLOB, PRIMARY KEY (ID, CHUNK_ID)); CREATE TABLE CHANNEL (ID TEXT, CHUNK_ID INTEGER, NAME TEXT, DATA BLOB); CREATE TABLE S_USER (ID TEXT, CHUNK_ID INTEGER, DATA BLOB)";

/** A message, with its number and that of the chunk it came in. */
type FixtureMessage = readonly [number: number, chunk: number, message: { readonly ts: string }];

/** Writes a channel with its people and messages. */
export function makeSlackDatabase(
  users: readonly { readonly id: string }[],
  channel: { readonly id: string; readonly name: string },
  messages: readonly FixtureMessage[],
): Buffer {
  const blob = (value: object) => Buffer.from(JSON.stringify(value));
  return makeDatabase((database) => {
    database.exec(SLACK_SCHEMA);
    const user = database.prepare("INSERT INTO S_USER VALUES (?, 1, ?)");
    for (const each of users) user.run(each.id, blob(each));
    database.prepare("INSERT INTO CHANNEL VALUES (?, 1, ?, ?)").run(channel.id, channel.name, blob(channel));
    const insert = database.prepare("INSERT INTO MESSAGE VALUES (?, ?, ?, ?, ?)");
    for (const [number, chunk, message] of messages)
      insert.run(number, chunk, channel.id, message.ts, blob(message));
  });
}
