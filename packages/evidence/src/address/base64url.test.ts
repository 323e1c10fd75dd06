import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../../testing/arbitraries.ts";
import { decodeBase64Url, encodeBase64Url } from "./base64url.ts";

test("base64url equals the platform's for any text", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const encoded = Buffer.from(text, "utf8").toString("base64url");
      assert.equal(encodeBase64Url(text), encoded);
      assert.equal(decodeBase64Url(encoded), text);
    }),
  );
});

test("base64url that is not the canonical encoding of well-formed UTF-8 is rejected", () => {
  const overlong = Buffer.from([0xc0, 0xaf]).toString("base64url");
  const surrogate = Buffer.from([0xed, 0xa0, 0x80]).toString("base64url");
  const cut = Buffer.from([0xe2, 0x82]).toString("base64url");
  const beyond = Buffer.from([0xf5, 0x80, 0x80, 0x80]).toString("base64url");
  for (const bad of [overlong, surrogate, cut, beyond, "YQ==", "YR", "Y", "Y*", "YQ\n", "gA"]) {
    assert.equal(decodeBase64Url(bad), undefined, bad);
  }
});

test("any bytes decode to the platform's text or to undefined", () => {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      let text: string | undefined;
      try {
        text = strict.decode(bytes);
      } catch {
        text = undefined;
      }
      assert.equal(decodeBase64Url(Buffer.from(bytes).toString("base64url")), text);
    }),
    { numRuns: 2000 },
  );
});
