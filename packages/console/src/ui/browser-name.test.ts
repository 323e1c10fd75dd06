import assert from "node:assert/strict";
import { test } from "node:test";
import { nameBrowser } from "../pages/settings.ts";

test("a browser is named by what its owner calls it", () => {
  const names: Readonly<Record<string, string>> = {
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0": "Firefox on Linux",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0":
      "Edge on Windows",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1":
      "Safari on iPhone",
    "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36":
      "Chrome on Android",
    "curl/8.5.0": "curl",
    "": "A browser without a name",
    "something else": "something else",
  };
  for (const [agent, name] of Object.entries(names)) assert.equal(nameBrowser(agent), name);
});
