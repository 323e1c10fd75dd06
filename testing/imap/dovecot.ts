import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type MailServer, type MailServerOptions, PASSWORD, USER } from "./mail-account.ts";

const WAIT_MS = 50;
const WAITS = 200;

/** Extensions in the order in which Dovecot lists them. */
const EXTENSIONS =
  "LITERAL+ UIDPLUS MOVE NAMESPACE LIST-EXTENDED LIST-STATUS SPECIAL-USE ENABLE ESEARCH CONDSTORE QRESYNC IDLE UNSELECT";

/** Starts Dovecot in a new folder, for one user. Works as root and as any other user. */
export async function startDovecot(program: string, options: MailServerOptions): Promise<MailServer> {
  const folder = mkdtempSync(join(tmpdir(), "rungs-imap-"));
  const port = await findPort();
  const mail = join(folder, "mail");
  mkdirSync(mail);
  chmodSync(folder, 0o755);
  const isRoot = process.getuid?.() === 0;
  const owner = isRoot ? "nobody" : userInfo().username;
  const [uid, gid] = ["-u", "-g"].map((flag) =>
    Number(execFileSync("id", [flag, owner], { encoding: "utf8" })),
  ) as [number, number];
  fillInbox(join(mail, USER), options.inbox ?? []);
  if (isRoot) execFileSync("chown", ["-R", `${uid}:${gid}`, mail]);
  const config = join(folder, "dovecot.conf");
  const internal = isRoot ? "" : writeUnprivileged(owner);
  writeFileSync(config, writeConfig({ folder, mail, port, uid, gid, ...options }) + internal);
  let server: ChildProcess;
  const start = async () => {
    server = spawn(program, ["-F", "-c", config], { stdio: "ignore" });
    await untilOpen(port);
  };
  const end = async () => {
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
  };
  await start();
  return {
    name: "Dovecot",
    port,
    async restart() {
      await end();
      await start();
    },
    async stop() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes messages as the files of a Maildir, before the server looks at it. */
function fillInbox(maildir: string, messages: Iterable<string>): void {
  let number = 0;
  for (const message of messages) {
    if (number === 0)
      for (const name of ["cur", "new", "tmp"]) mkdirSync(join(maildir, name), { recursive: true });
    number += 1;
    writeFileSync(join(maildir, "cur", `${1.6e9 + number}.M${number}.bench:2,S`), message);
  }
}

interface DovecotPlace extends MailServerOptions {
  readonly folder: string;
  readonly mail: string;
  readonly port: number;
  readonly uid: number;
  readonly gid: number;
}

function writeConfig({ folder, mail, port, uid, gid, without = [] }: DovecotPlace): string {
  const offered = EXTENSIONS.split(" ").filter((name) => !without.includes(name));
  return `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
mail_location = maildir:${mail}/%u
first_valid_uid = 0
mail_fsync = never
imap_capability = IMAP4rev1 ${offered.join(" ")}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service imap {
  process_limit = 64
}
passdb {
  driver = static
  args = user=${USER} password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${mail}/%u
}
namespace inbox {
  inbox = yes
  separator = /
}
`;
}

/** Without root, every process runs as the user and no process changes its root. */
function writeUnprivileged(user: string): string {
  const services = ["anvil", "imap-login", "ssl-params"].map((name) => `service ${name} {\n  chroot =\n}\n`);
  return `default_internal_user = ${user}\ndefault_login_user = ${user}\n${services.join("")}`;
}

/** A port that was free a moment ago. */
function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function untilOpen(port: number): Promise<void> {
  for (let waits = 0; waits < WAITS; waits += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("data", () => resolve(true)).once("error", () => resolve(false));
      socket.once("data", () => socket.destroy());
    });
    if (isOpen) return;
    await delay(WAIT_MS);
  }
  throw new Error("The mail server does not start.");
}
