/** The view of MCP Apps in a real browser, driven by the host half of the official library. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { openBrowser } from "../../testing/console/browser.ts";
import { openConnected } from "./connected.ts";

type Transport = Parameters<AppBridge["connect"]>[0];
type ToolResult = Parameters<AppBridge["sendToolResult"]>[0];
type Call = { name: string; arguments?: Record<string, unknown> | undefined };

const URI = "ui://rungs/view.html";

describe("the view of MCP Apps", { timeout: 60_000 }, () => {
  const connected = openConnected();
  let browser: Browser;
  let page: Page;
  let view: FrameLocator;
  let bridge: AppBridge;
  const calls: Call[] = [];
  const requested: string[] = [];

  before(async () => {
    browser = await openBrowser();
  });
  after(async () => {
    await bridge?.close();
    await browser?.close();
  });

  /** Shows the view in a sandboxed frame, as a host does, and gives it the answer of a call. */
  async function openView(call: Call): Promise<void> {
    const { contents } = await connected.client.readResource({ uri: URI });
    const html = contents[0] && "text" in contents[0] ? contents[0].text : "";
    page = await browser.newPage();
    page.on("request", (request) => requested.push(request.url()));
    bridge = new AppBridge(null, { name: "test host", version: "1" }, { serverTools: {} });
    bridge.oncalltool = (params) => answer(params);
    const ready = new Promise<void>((resolve) => {
      bridge.oninitialized = () => resolve();
    });
    await bridge.connect(await relay(page));
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement("iframe"), { sandbox: "allow-scripts", srcdoc: ${JSON.stringify(html)} }))`,
    );
    view = page.frameLocator("iframe");
    await ready;
    await bridge.sendToolResult(await answer(call));
  }

  async function answer(params: Call): Promise<ToolResult> {
    calls.push(params);
    return (await connected.client.callTool({
      name: params.name,
      arguments: params.arguments,
    })) as ToolResult;
  }

  test("R41 tools that have the view name it, and it is an HTML resource without network", async () => {
    const { tools } = await connected.client.listTools();
    const named = tools
      .filter(({ _meta }) => JSON.stringify(_meta ?? {}).includes(URI))
      .map(({ name }) => name);
    assert.deepEqual(named, ["search", "read_record_field"]);
    const { contents } = await connected.client.readResource({ uri: URI });
    assert.equal(contents[0]?.mimeType, "text/html;profile=mcp-app");
    assert.deepEqual(contents[0]?._meta, { ui: { csp: {}, prefersBorder: true } });
  });

  test("it shows hits, opens a window through the host, pages, and goes back", async () => {
    await openView({ name: "search", arguments: { query: '"line 2500"' } });
    const hit = view.locator("li").first();
    await hit.waitFor();
    assert.match((await hit.textContent()) ?? "", /home\/notes:long/);
    assert.match((await hit.locator("mark").allTextContents()).join(" "), /line/);
    await hit.getByRole("button", { name: "Read" }).click();
    await view.locator("pre").waitFor();
    assert.equal(calls.at(-1)?.name, "read_record_field");
    const first = (await view.locator("pre").textContent()) ?? "";
    assert.match(first, /line 2500/);
    await view.getByRole("button", { name: "Next" }).click();
    await view.getByText("line 2700", { exact: false }).first().waitFor();
    assert.ok(calls.at(-1)?.arguments?.cursor);
    for (let step = 0; step < 2; step += 1) await view.getByRole("button", { name: "Back" }).click();
    await view.locator("li").first().waitFor();
    assert.equal(await view.getByRole("button", { name: "Back" }).count(), 0);
  });

  test("shows an empty answer and a refusal as text, and never renders record text as markup", async () => {
    await openView({ name: "search", arguments: { query: "nowheretobefound" } });
    await view.locator("pre").waitFor();
    assert.match((await view.locator("pre").textContent()) ?? "", /nowheretobefound/);
    await bridge.sendToolResult(await answer({ name: "fetch", arguments: { id: "no id" } }));
    await view.getByText("invalid_record_id").waitFor();
    const title = "<img src=x onerror=alert(1)>";
    const results = [{ id: "a/b:c", title, evidence_preview: `⟦${title}⟧` }];
    await bridge.sendToolResult({ content: [], structuredContent: { results } });
    await view.locator("mark").waitFor();
    assert.equal(await view.locator("mark").textContent(), title);
    assert.equal(await view.locator("img").count(), 0);
    assert.deepEqual(
      requested.filter((url) => /^https?:/.test(url)),
      [],
    );
  });
});

/** Carries JSON-RPC messages between this process and the frame of a page. */
async function relay(page: Page): Promise<Transport> {
  const transport: Transport = {
    start: async () => undefined,
    close: async () => undefined,
    send: (message) =>
      page.evaluate(
        `document.querySelector("iframe").contentWindow.postMessage(${JSON.stringify(message)}, "*")`,
      ),
  };
  await page.exposeFunction("received", (message: never) => transport.onmessage?.(message));
  await page.evaluate('addEventListener("message", ({ data }) => received(data))');
  return transport;
}
