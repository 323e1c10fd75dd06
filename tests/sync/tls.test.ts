/** Servers with missing or broken TLS: the message says what is wrong, and no password is sent. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { requireSource } from "@rungs/sources";
import { type Answer, type HostileTls, startHostileServer } from "../../testing/imap/hostile-server.ts";

const read = (name: string) =>
  readFileSync(new URL(`../../testing/tls/${name}.pem`, import.meta.url), "utf8");
const ca = read("authority");
const OFFERS = { CAPABILITY: "* CAPABILITY IMAP4rev1 STARTTLS\r\n" };

interface Wrong {
  readonly certificate: string;
  readonly ca?: string | undefined;
  readonly words: RegExp;
}

const CERTIFICATES: Readonly<Record<string, Wrong>> = {
  "has expired": { certificate: "expired", ca, words: /certificate of the server has expired/ },
  "is for another name": {
    certificate: "foreign",
    ca,
    words: /certificate of the server is for another name/,
  },
  "is signed by itself": { certificate: "self", words: /signed its certificate itself/ },
  "comes from an unknown authority": { certificate: "good", words: /unknown authority/ },
};

/** Tries to sign in to a mail server; returns the failure, and the commands that the server saw. */
async function tryMail(
  t: TestContext,
  {
    answers = {},
    tls,
    settings,
  }: { answers?: Record<string, string | Answer>; tls?: HostileTls; settings: object },
) {
  const server = await startHostileServer(answers, tls);
  t.after(() => server.stop());
  const access = {
    settings: { host: "127.0.0.1", port: server.port, user: "ada", ...settings },
    secret: "hunter2",
    work_folder: "",
  };
  const failure = await requireSource("imap")
    .check?.(access, AbortSignal.timeout(20_000))
    .then(() => undefined)
    .catch((error: Error & { code: string }) => error);
  return { failure, commands: server.commands.join("\n") };
}

for (const [what, { certificate, ca: known, words }] of Object.entries(CERTIFICATES)) {
  const pem = read(certificate);
  test(`R77 a certificate that ${what} ends the run before the password is sent`, async (t) => {
    for (const at of ["start", "STARTTLS"] as const) {
      const security = at === "start" ? "tls" : "starttls";
      const settings = { security, ...(known === undefined ? {} : { ca: known }) };
      const { failure, commands } = await tryMail(t, { answers: OFFERS, tls: { at, pem }, settings });
      assert.equal(failure?.code, "source_unsafe", `${at}: ${failure?.message}`);
      assert.match(failure.message, words);
      assert.ok(!/LOGIN|AUTHENTICATE|hunter2/.test(commands), commands);
    }
    const url = await serveHttps(t, pem, (_, answer) => answer.end());
    const dav = { url, user: "ada", ...(known === undefined ? {} : { ca: known }) };
    await assert.rejects(
      async () =>
        requireSource("caldav").check?.(
          { settings: dav, secret: "hunter2", work_folder: "" },
          AbortSignal.timeout(20_000),
        ),
      { code: "source_unsafe", message: words },
    );
  });
}

test("the certificate of a private authority is accepted if the owner names it", async (t) => {
  const pem = read("good");
  for (const at of ["start", "STARTTLS"] as const) {
    const settings = { security: at === "start" ? "tls" : "starttls", ca };
    const { failure, commands } = await tryMail(t, { answers: OFFERS, tls: { at, pem }, settings });
    assert.equal(failure, undefined);
    assert.match(commands, /LOGIN/);
  }
});

test("R77 a server without STARTTLS, one that refuses it and one that sends noise get no password", async (t) => {
  const cases: readonly Record<string, string | Answer>[] = [
    {},
    { ...OFFERS, STARTTLS: (socket, tag) => socket.write(`${tag} NO not now\r\n`) },
    { ...OFFERS, STARTTLS: (socket, tag) => socket.write(`${tag} OK begin\r\nnoise\r\n`) },
    { greeting: "* PREAUTH welcome\r\n" },
  ];
  for (const answers of cases) {
    const { failure, commands } = await tryMail(t, { answers, settings: { security: "starttls" } });
    assert.equal(failure?.code, "source_unsafe", `${JSON.stringify(answers)} ${failure?.message}`);
    assert.ok(!/LOGIN|AUTHENTICATE|hunter2/.test(commands), commands);
  }
  const { failure } = await tryMail(t, { settings: { security: "tls" } });
  assert.equal(failure?.code, "source_unsafe", failure?.message);
});

async function serveHttps(t: TestContext, pem: string, listener: RequestListener): Promise<string> {
  const server = createServer({ cert: pem, key: pem }, listener);
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
