/** A real mail server on loopback: Dovecot where it is installed, else one from npm. Tests say which one was used. */
import { existsSync } from "node:fs";
import { ImapFlow } from "imapflow";
import { startDovecot } from "./dovecot.ts";
import { startHoodiecrow } from "./hoodiecrow.ts";
import { type MailServer, type MailServerOptions, PASSWORD, USER } from "./mail-account.ts";

const DOVECOT = ["/usr/sbin/dovecot", "/usr/local/sbin/dovecot"].find((file) => existsSync(file));

/** The name of the server that `startMailServer` starts, for titles. `RUNGS_TEST_IMAP=npm` chooses the one from npm. */
export const MAIL_SERVER =
  DOVECOT !== undefined && process.env.RUNGS_TEST_IMAP !== "npm" ? "Dovecot" : "hoodiecrow";

/** Starts a mail server with an empty mailbox. */
export function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const program = MAIL_SERVER === "Dovecot" ? DOVECOT : undefined;
  return program === undefined ? startHoodiecrow(options) : startDovecot(program, options);
}

/** Opens a connection that may write, as the owner's mail program does. */
export async function openMailbox({ port }: MailServer): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: "127.0.0.1",
    port,
    secure: false,
    doSTARTTLS: false,
    auth: { user: USER, pass: PASSWORD },
    logger: false,
    disableAutoIdle: true,
  });
  // A restart of the server breaks it; the next command fails.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}
