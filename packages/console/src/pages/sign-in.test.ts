import assert from "node:assert/strict";
import { test } from "node:test";
import { parseNextPage } from "./sign-in.ts";

test("after signing in the browser opens a page of the console and nothing else", () => {
  for (const page of ["/console", "/console/search?q=a", "/console/records/c%2Fs%3Ax"]) {
    assert.equal(parseNextPage(page), page);
  }
  const elsewhere = [
    undefined,
    "",
    "https://evil.example/console",
    "//evil.example/console/",
    "/\\evil.example/console/",
    "\\\\evil.example",
    "/\t/evil.example/console/",
    "/console/../mcp",
    "/consoles",
    "javascript:alert(1)",
    "/v1/schema",
    "http:/console/x",
  ];
  for (const page of elsewhere) assert.equal(parseNextPage(page), "/console", String(page));
});
