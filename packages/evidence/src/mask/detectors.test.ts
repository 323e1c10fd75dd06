import assert from "node:assert/strict";
import { test } from "node:test";
import { createMasker } from "./create-masker.ts";
import type { MaskKind } from "./mask-rules.ts";

/** Texts with the values in them between `«` and `»`; a text without any has none. */
const cases: Readonly<Record<MaskKind, readonly string[]>> = {
  email: [
    "write to «jo.doe+tax@example.co.uk», soon",
    "<«jo@example.org»>;«ann_b@mail.example.com».",
    "mailto:«jo@example.org»?subject=x",
    "'«jo@example.org»'",
    "«jürgen@bücher.example», «用户@例子.广告»",
    '«"jo doe"@example.org»',
    "«jo (at) example.org» and «jo [at] example [dot] org»",
    "«ｊｏ＠ｅｘａｍｐｌｅ．ｏｒｇ»",
    "«jo\u200b@example.org»",
    "@jo, jo@localhost, a @ b, 3@4, user@, @@@",
  ],
  phone: [
    "call «+49 171 2345678» or «+49 (0)89 / 12 34 56-0»",
    "\u202a«+49\u00a0171\u00a02345678»\u202c: hello",
    "«0049 171 2345678», «00491712345678»",
    "«+1 (555) 123-4567», «(555) 234-4567», «555-234-4567», «1-555-234-4567»",
    "«089 / 123 456 78», «01 23 45 67 89», «020 7946 0958», «0171-2345678», «01.23.45.67.89»",
    "Tel. «4711-234», Fax: «55 12 34», tel:«5551234», call «555-1234»",
    "«491712345678»@s.whatsapp.net",
    "«٠١٧١ ٢٣٤٥٦٧٨»",
    "on 2024-01-31 at 10:30:15, from 01.02.2024 10 to 02.02.2024 11",
    "2024-01-31T10:30:15.123Z, 1706697015123, 00001000, 0.0123456789",
    "EUR 1.234.567,89; 100-2000; pages 12-15; version 10.11.12.13; 192.168.100.200",
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6, ISBN 978-3-16-148410-0, #1234567890",
  ],
  card: [
    "«4111 1111 1111 1111», «5500-0000-0000-0004», «378282246310005», «6011111111111117»",
    "card «4111111111111111».",
    "4111 1111 1111 1112, 1234567890123456, 1706697015123, 41111111111111111111, 0.4111111111111111",
  ],
  iban: [
    "IBAN «DE89 3704 0044 0532 0130 00» BIC COBADEFF",
    "«gb82west12345698765432», «NL91-ABNA-0417-1643-00», «NO93 8601 1117 947»",
    "DE89 3704 0044 0532 0130 01, GB82 WEST, AB12 3456, DE89370400440532013000X",
  ],
  national_id: [
    "SSN «123-45-6789», NINO «QQ123456C», «ab 12 34 56 c»".replace("QQ123456C", "AB123456C"),
    "Steuer-ID «86095742719», «86 095 742 719»; SV «65 070649 C 103»; AHV «756.9217.0769.85»",
    "DNI «12345678Z», NIE «X1234567L», CF «RSSMRA85T10A562S», CPF «529.982.247-25»",
    "NIR «2 55 08 14 168 025 38», PESEL «44051401359», «811228-9874», «11010519491231002X»",
    "000-12-3456, 666-12-3456, 12345678901, 12345678A, 529.982.247-26, 2017-02-28, 20170228154907",
  ],
  address: [
    "at «221B Baker Street, London NW1 6XE»; «1600 Pennsylvania Avenue, Washington, DC 20500»",
    "«Lindenstraße 5a, 10969 Berlin», «Hauptstr. 12», «Keizersgracht 123», «Karl-Marx-Allee 3»",
    "«12 bis, rue de la Paix, 75002 Paris», «Calle Mayor 3», «Via Roma 12», «P.O. Box 123»",
    "3 ways to go, 5 Street Fighters, on the road 2 times, 10 places, the street, Platz da",
  ],
  secret: [
    "«AKIAIOSFODNN7EXAMPLE» «ghp_0123456789abcdefghijABCDEFGHIJ012345» «sk-abcdefghijklmnopqrstuvwx»",
    'password: «hunter2», Passwort ist «geheim123», PIN = «1234», "api_key": "«a b c»"',
    "https://jo:«pa55»@example.org/x, Authorization: Bearer «abcdefghijklmnop.qrs»",
    "x «-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAAAA\n-----END RSA PRIVATE KEY-----» y",
    "x «-----BEGIN PRIVATE KEY-----\nMIIE\nAAAA\n»",
    "the password is wrong, password is required, tokens: none, a pin and a pass, secret santa",
  ],
};

for (const [kind, texts] of Object.entries(cases)) {
  test(`R82 ${kind}: finds the marked values and nothing else`, () => {
    const mask = createMasker({ kinds: [kind as MaskKind] }, () => "");
    for (const marked of texts) {
      const expected = marked.replace(/«[^»]*»/g, `[${kind === "national_id" ? "id" : kind}-]`);
      assert.equal(mask(marked.replace(/[«»]/g, "")), expected);
    }
  });
}

test("R82 two spellings of one value have one normal form", () => {
  const seen: string[] = [];
  const mask = createMasker({ kinds: ["phone", "email", "iban", "card"] }, (_, value) => {
    seen.push(value);
    return "";
  });
  const same = (a: string, b: string) => {
    mask(`${a}\n${b}`);
    assert.equal(seen.length, 2, a);
    assert.equal(seen[0], seen[1]);
    seen.length = 0;
  };
  same("+49 (0)171 2345678", "0049 171/2345678");
  same("Jo@Example.org", "jo (at) example.org");
  same("DE89 3704 0044 0532 0130 00", "de89370400440532013000");
  same("4111 1111 1111 1111", "4111-1111-1111-1111");
});

test("R82 detectors take linear time on hostile texts", () => {
  const kinds = Object.keys(cases) as MaskKind[];
  const mask = createMasker({ kinds, words: ["aaaa"], expressions: ["(a+)+b"] }, () => "");
  // The processor's time of the fastest run: other processes and the collector only add to it.
  const cost = (text: string) =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const start = process.cpuUsage();
        mask(text);
        const { user } = process.cpuUsage(start);
        return user;
      }),
    );
  for (const unit of [
    "1",
    "1 ",
    "a",
    "@",
    "a@",
    "0-",
    "+4",
    "A1 ",
    "-----BEGIN PRIVATE KEY-----",
    "eyJa.",
    "Aa ",
    "password: ",
  ]) {
    const short = unit.repeat(Math.ceil(20_000 / unit.length));
    const ratio = cost(short.repeat(10)) / Math.max(1_000, cost(short));
    // Quadratic work takes a hundred times as long.
    assert.ok(ratio < 50, `${unit}: ${ratio}`);
  }
});
