/** The main story in a second engine: Firefox, where it is installed (Debian's `firefox-esr`). By keyboard alone. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type FirefoxTab, findFirefox, Key, openFirefox } from "../../testing/console/firefox.ts";
import { type ServedConsole, serveConsole } from "../../testing/console/served.ts";

const program = findFirefox();
const skip = program === undefined && "Firefox is not installed: install Debian's firefox-esr to run this";

let served: ServedConsole;
let tab: FirefoxTab;
before(async () => {
  if (program !== undefined) [served, tab] = await Promise.all([serveConsole(), openFirefox(program)]);
});
after(async () => {
  await tab?.close();
  await served?.close();
});

for (const width of [1280, 390]) {
  test(`R44 the owner signs in, searches, reads and looks at the log in Firefox, ${width} wide`, {
    skip,
  }, async () => {
    await tab.resize(width, 800);
    const at = (path: string) =>
      tab.waitFor(`location.pathname === "${path}" && document.readyState === "complete"`);
    const isNarrow = () => tab.evaluate("document.documentElement.scrollWidth <= innerWidth");

    // Headless, Firefox presses no button by key: Enter in a field submits its form.
    await tab.goto(`${served.url}/console/sign-in`);
    await tabToField(tab);
    await tab.type(`${await served.loginLink()}${Key.enter}`);
    await at("/console");
    assert.match(String(await tab.evaluate("document.querySelector('.lead').textContent")), /33 records/);
    assert.equal(await isNarrow(), true);

    // Search as you type, then the keys of the results.
    await tab.type("/");
    await tab.waitFor("document.activeElement.id === 'q'");
    await tab.type(`heron stands${Key.enter}`);
    await at("/console/search");
    await tab.waitFor("document.querySelectorAll('.evidence mark').length > 0");
    assert.equal(await isNarrow(), true);
    await tab.evaluate("document.activeElement.blur()");
    await tab.type("j");
    await tab.waitFor("document.activeElement.matches('[data-item] a')");
    await tab.type(Key.enter);
    await tab.waitFor(
      "location.pathname.startsWith('/console/records/') && document.readyState === 'complete'",
    );
    assert.equal(await tab.evaluate("document.querySelector('h1').textContent"), "The lake");
    assert.equal(await isNarrow(), true);

    await tab.goto(`${served.url}/console/activity?who=all`);
    assert.match(
      String(await tab.evaluate("document.querySelector('.log').innerText")),
      /You \(console\) read/,
    );
    assert.equal(await isNarrow(), true);
  });
}

/** Moves the focus with the Tab key to the first field to type in. */
async function tabToField(tab: FirefoxTab): Promise<void> {
  for (let at = 0; at < 20; at += 1) {
    await tab.type(Key.tab);
    if ((await tab.evaluate("document.activeElement.matches('input')")) === true) return;
  }
  assert.fail("Tab reaches no field");
}
