import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { needsRepair, repairMessage } from "./repair-message.ts";

const line = fc.constantFrom(
  "",
  "",
  "\r",
  "--a",
  "--b",
  "--a--",
  "--b--\r",
  "Content-Type: multipart/mixed; boundary=a",
  'Content-Type: multipart/alternative;\n boundary="b"\r',
  "Content-Type: text/plain; charset=utf-8",
  "Content-Type: text/html; charset=iso-8859-1",
  "Content-Type: message/rfc822",
  "Content-Transfer-Encoding: quoted-printable",
  "Subject: =?utf-8?Q?=C3=A4?=",
  "text with =C3=A4",
  "日本語",
);

test("a correct message stays the same, byte for byte, whatever its parts", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      // An embedded message has no transfer encoding (RFC 2046, 5.2.1); decode one that has.
      const isEncoded = lines.some((one) => one.startsWith("Content-Transfer-Encoding"));
      fc.pre(!(isEncoded && lines.includes("Content-Type: message/rfc822")));
      const bytes = Buffer.from(lines.join("\n"));
      assert.equal(needsRepair(bytes), lines.includes("Content-Type: message/rfc822"));
      assert.ok(repairMessage(bytes).equals(bytes));
    }),
    { numRuns: 500 },
  );
});

test("only broken parts are repaired: files and other charsets keep their bytes", () => {
  const message = (fault: string) =>
    Buffer.from(
      [
        "Content-Type: multipart/mixed; boundary=x\n",
        "--x\nContent-Type: text/plain; charset=iso-8859-1\n\nFr\xf6sche",
        "--x\nContent-Type: image/png\n\n\x89PNG\xff",
        `--x\nContent-Type: text/plain\nContent-Disposition: attachment\n\n\xff\xfe`,
        `--x\nContent-Type: text/plain\n\n${fault}\n--x--`,
      ].join("\n"),
      "latin1",
    );
  const clean = message("no fault");
  assert.ok(repairMessage(clean).equals(clean));
  const repaired = repairMessage(message("Fr\xf6sche")).toString("latin1");
  assert.equal(repaired.match(/base64/g)?.length, 1);
  assert.ok(repaired.includes(Buffer.from("Frösche\n").toString("base64")));
});
