/** Uploads through the console: imported, searchable, or refused. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isImportRunning, listImportRuns, recordImport } from "@rungs/server";
import type { Browser } from "playwright-core";
import { openBrowser } from "../../testing/console/browser.ts";
import { openSession, type ServedConsole, serveConsole, shown } from "../../testing/console/served.ts";
import { until } from "../../testing/until.ts";

let browser: Browser;
let served: ServedConsole;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "rungs-import-page-"));
  [browser, served] = await Promise.all([openBrowser(), serveConsole()]);
});
after(async () => {
  await browser?.close();
  await served?.close();
  rmSync(folder, { recursive: true });
});

const uploads = () => readdirSync(tmpdir()).filter((name) => name.startsWith("rungs-upload-")).length;

const MBOX = [1, 2, 3]
  .map((at) =>
    [
      `From someone@example.org Mon Jan  ${at} 10:00:00 2026`,
      "From: Ana <ana@example.org>",
      "To: Lars <lars@example.org>",
      `Subject: Kingfisher ${at}`,
      `Message-ID: <k${at}@example.org>`,
      `Date: Thu, 0${at} Jan 2026 10:00:00 +0000`,
      "",
      `The kingfisher was there at ${at} o'clock.`,
      "",
    ].join("\n"),
  )
  .join("\n");

test("an upload is imported, its progress is shown, and its records are found", async () => {
  const file = join(folder, "lake mail.mbox");
  writeFileSync(file, MBOX);
  const before = uploads();
  const page = await served.signIn(browser, { javaScriptEnabled: false });
  for (const outcome of ["3 added, 0 changed, 0 unchanged", "0 added, 0 changed, 3 unchanged"]) {
    await page.getByRole("link", { name: "Import", exact: true }).click();
    await page.getByText("Name and format").click();
    await page.getByLabel("Name", { exact: true }).fill("Lake mail");
    await page.getByLabel("File").setInputFiles(file);
    await page.getByRole("button", { name: "Upload and import" }).click();
    await page.getByText("Done:").waitFor({ timeout: 20_000 });
    assert.match(await shown(page.getByRole("main")), new RegExp(outcome));
  }
  await page.goto(`${served.url}/console/search?q=kingfisher`);
  assert.match(await shown(page.getByRole("main")), /3 records found[\s\S]*Lake mail/);
  assert.equal(uploads(), before, "no file is left behind");
  await page.goto(`${served.url}/console/import`);
  const rows = page.getByRole("listitem").filter({ hasText: "lake mail.mbox" });
  assert.deepEqual(
    (await rows.allInnerTexts()).map((row) => /\d+ (?:added|unchanged)/.exec(row)?.[0]),
    ["3 unchanged", "3 added"],
  );
  await rows.first().getByRole("link").click();
  assert.match(await shown(page.getByRole("main")), /0 added, 0 changed, 3 unchanged/);
  await page.context().close();
});

test("a file of no known format is refused with a message", async () => {
  const file = join(folder, "noise.bin");
  writeFileSync(file, Buffer.alloc(5000));
  const page = await served.signIn(browser);
  await page.goto(`${served.url}/console/import`);
  await page.getByLabel("File").setInputFiles(file);
  await page.getByRole("button", { name: "Upload and import" }).click();
  await page.getByRole("link", { name: "Import another file" }).waitFor({ timeout: 20_000 });
  assert.equal(await shown(page.getByRole("alert")), "noise.bin has no known format.");
  assert.doesNotMatch(await shown(page.getByRole("main")), /--as|rungs import/);
  await page.getByRole("link", { name: "All imports" }).click();
  assert.match(await shown(page.getByRole("main")), /noise\.bin\s+[\d-]+ [\d:]+ UTC\s+failed/);
  await page.context().close();
});

test("a dropped file is uploaded, and an upload can be cancelled", async () => {
  const page = await served.signIn(browser);
  await page.goto(`${served.url}/console/import`);
  await page.evaluate(`(() => {
    const files = new DataTransfer();
    files.items.add(new File(["BEGIN:VCARD\\r\\nVERSION:3.0\\r\\nUID:d1\\r\\nFN:Dropped Person\\r\\nEND:VCARD\\r\\n"], "dropped.vcf"));
    window.drop = (dataTransfer) => document.querySelector("form[data-upload]").dispatchEvent(new DragEvent("drop", { dataTransfer }));
    window.drop(new DataTransfer());
    window.files = files;
  })()`);
  await page.getByText("No file was dropped.").waitFor();
  await page.evaluate("window.drop(window.files)");
  await page.getByText("1 file dropped: dropped.vcf").waitFor();
  // Holds the upload until it is cancelled.
  await page.route("**/console/import", () => undefined);
  await page.getByRole("button", { name: "Upload and import" }).click();
  await page.getByRole("progressbar", { name: "Upload" }).waitFor();
  const cancelled = page.waitForEvent("requestfailed");
  await page.getByRole("button", { name: "Cancel the upload" }).click();
  await page.getByText("Cancelled: nothing was stored.").waitFor();
  // Any earlier, removing the route would send the upload.
  await cancelled;
  await page.unroute("**/console/import");
  await page.getByRole("button", { name: "Upload and import" }).click();
  await page.getByText("Done: 1 added").waitFor({ timeout: 20_000 });
  await page.context().close();
});

test("an upload cannot be cancelled once it is sent: its import can be stopped", async () => {
  const page = await served.signIn(browser);
  await page.goto(`${served.url}/console/import`);
  await page.getByLabel("Files").setInputFiles({ name: "a.vcf", mimeType: "", buffer: Buffer.from("") });
  await page.evaluate(`(() => {
    const { prototype } = XMLHttpRequest;
    prototype.send = function () { window.sent = this.upload; };
  })()`);
  await page.getByRole("button", { name: "Upload and import" }).click();
  const cancel = page.getByRole("button", { name: "Cancel the upload" });
  await cancel.waitFor();
  await page.evaluate('window.sent.dispatchEvent(new ProgressEvent("load"))');
  await cancel.waitFor({ state: "detached" });
  await page.context().close();
});

test("an upload is not imported if its sender hangs up after the last byte", async () => {
  const headers = await openSession(await served.loginLink());
  const form = await (await fetch(`${served.url}/console/import`, { headers: { ...headers } })).text();
  const body = new FormData();
  body.append("form_token", /name="form_token" value="([^"]+)"/.exec(form)?.[1] ?? "");
  body.append("file", new File([MBOX], "hung up.mbox"));
  const sent = new Response(body);
  const bytes = Buffer.from(await sent.arrayBuffer());
  const type = sent.headers.get("Content-Type") ?? "";
  const upload = request(`${served.url}/console/import`, {
    method: "POST",
    headers: { ...headers, "Content-Type": type, "Content-Length": bytes.length },
  });
  upload.on("error", () => undefined);
  upload.end(bytes, () => upload.destroy());
  const runs = () =>
    listImportRuns(served.parts).then((all) => all.filter(({ name }) => name === "hung up.mbox"));
  await until(async () => (await runs()).some((run) => !isImportRunning(run)));
  assert.deepEqual(
    (await runs()).map(({ state, failure, imports }) => [state, failure?.message, imports]),
    [["failed", "The upload was cancelled.", []]],
  );
});

for (const javaScriptEnabled of [true, false]) {
  test(`several files are inspected first, with the reason, then imported without a second upload, scripts ${javaScriptEnabled ? "on" : "off"}`, async () => {
    const files = ["one.mbox", "two.mbox"].map((name) => join(folder, name));
    const bird = javaScriptEnabled ? "kittiwake" : "kestrel";
    const mail = MBOX.replaceAll("ingfisher", bird.slice(1)).replaceAll("<k", `<${bird}`);
    for (const file of files) writeFileSync(file, mail);
    const before = uploads();
    const page = await served.signIn(browser, { javaScriptEnabled, viewport: { width: 390, height: 800 } });
    await page.goto(`${served.url}/console/import`);
    await page.getByRole("checkbox", { name: "First say what it is" }).press("Space");
    await page.getByLabel("Files").setInputFiles(files);
    await page.getByRole("button", { name: "Upload and import" }).press("Enter");
    await page.getByText("Nothing was stored.").waitFor({ timeout: 20_000 });
    const look = page.url();
    assert.match(
      await shown(page.getByRole("main")),
      /Import of one\.mbox[\s\S]*Recognised[\s\S]*mail[\s\S]*because /,
    );
    await page.goto(`${served.url}/console/search?q=${bird}`);
    assert.match(await shown(page.getByRole("main")), /Nothing found/);

    await page.goto(look);
    await page.getByRole("button", { name: "Import it" }).press("Enter");
    await page.getByText("Done:").waitFor({ timeout: 20_000 });
    assert.match(await shown(page.getByRole("main")), /6 added/);
    await page.goto(`${served.url}/console/search?q=${bird}`);
    assert.match(await shown(page.getByRole("main")), /6 records found/);
    await page.goto(look);
    assert.equal(await page.getByRole("button", { name: "Import it" }).count(), 0, "it is imported once");
    assert.equal(uploads(), before, "no file is left behind");
    await page.context().close();
  });

  test(`a running import shows its file and can be stopped, scripts ${javaScriptEnabled ? "on" : "off"}`, async () => {
    const { parts } = served;
    const recorder = await recordImport(parts, { name: "large archive.zip", origin: "command" });
    recorder.report({ read_bytes: 12e6, total_bytes: 40e6, items: 5120, path: "mail/inbox.mbox" });
    const page = await served.signIn(browser, { javaScriptEnabled });
    const stopped = new Promise((resolve) => recorder.stop.addEventListener("abort", resolve));
    await page.goto(`${served.url}/console/import/${recorder.import_id}`);
    await page.getByText("Reading mail/inbox.mbox").waitFor({ timeout: 20_000 });
    assert.match(await shown(page.getByRole("main")), /12 MB of 40 MB read, 5,120 items/);
    await page.getByRole("button", { name: "Stop this import" }).click();
    await stopped;
    await recorder.end({ state: "stopped", imports: [] });
    await page.goto(`${served.url}/console/import/${recorder.import_id}`);
    assert.match(await shown(page.getByRole("status")), /Stopped\. What was stored stays/);
    assert.equal(await page.getByRole("button", { name: "Stop this import" }).count(), 0);
    await page.context().close();
  });
}
