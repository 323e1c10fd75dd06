import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { startPlainServer } from "../../../../testing/dav/plain-server.ts";
import { caldav } from "./dav.ts";
import { davLimits } from "./limits.ts";

const access = (url: string, secret = "correct horse") => ({
  settings: { url, user: "jo" },
  secret,
  work_folder: "",
});
const check = (url: string, secret?: string) =>
  caldav.check?.(access(url, secret), new AbortController().signal);

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("R77 distinguishes a wrong password, no server, and a server of another protocol", async (t) => {
  const server = await startPlainServer();
  t.after(() => server.stop());
  await assert.rejects(async () => check(server.url, "wrong"), { code: "source_refused" });
  await assert.rejects(async () => check("http://127.0.0.1:9/"), { code: "source_unreachable" });
  const site = await serve(t, (_, answer) => answer.end("<html>hello</html>"));
  await assert.rejects(async () => check(site), { code: "source_broken" });
  const busy = await serve(t, (_, answer) => answer.writeHead(429).end());
  await assert.rejects(async () => check(busy), { code: "source_throttled" });
  assert.equal(await check(server.url), undefined);
});

test("R79 a server cannot send the password to a host that the source does not name", async (t) => {
  let reached = 0;
  const other = await serve(t, (_, answer) => {
    reached += 1;
    answer.end();
  });
  const first = await serve(t, (_, answer) => answer.writeHead(301, { location: `${other}dav/` }).end());
  await assert.rejects(async () => check(first), {
    code: "source_unsafe",
    message: /Nothing was sent there/,
  });
  assert.equal(reached, 0);
});

test("R77 an answer without end, or of broken XML, ends the run", async (t) => {
  const chunk = "<a>".repeat(100_000);
  const endless = await serve(t, (_, answer) => {
    answer.writeHead(207, { "content-type": "application/xml" });
    const more = () => {
      while (answer.writable && answer.write(chunk));
    };
    answer.on("drain", more);
    more();
  });
  const { answer_bytes } = davLimits;
  davLimits.answer_bytes = 1_000_000;
  t.after(() => {
    davLimits.answer_bytes = answer_bytes;
  });
  await assert.rejects(async () => check(endless), { code: "source_broken", message: /without end/ });
  const broken = await serve(t, (_, answer) =>
    answer.writeHead(207, { "content-type": "application/xml" }).end("<multistatus><response><href>"),
  );
  await assert.rejects(async () => check(broken), { code: "source_broken" });
});

test("R77 passwords never travel without TLS, nor stay in an address", () => {
  for (const url of [
    "http://dav.example.org/",
    "https://jo:secret@dav.example.org/",
    "ftp://a/",
    "dav.example.org",
  ])
    assert.throws(() => caldav.requireSettings({ url, user: "jo" }), { code: "invalid_request" }, url);
  for (const url of [
    "https://dav.example.org/x",
    "http://localhost:5232/",
    "http://127.0.0.1/",
    "http://[::1]:1/",
  ])
    assert.ok(caldav.requireSettings({ url, user: "jo" }), url);
  assert.deepEqual(
    caldav.describe({ url: "https://dav.example.org/", user: "jo", hosts: ["p1.example.org"] }).hosts,
    ["dav.example.org", "p1.example.org"],
  );
});
