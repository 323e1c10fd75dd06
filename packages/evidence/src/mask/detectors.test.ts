import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createMasker } from "./create-masker.ts";
import type { MaskKind } from "./mask-rules.ts";
import { maskValue } from "./mask-value.ts";

/** Texts with their values marked by `«` and `»`; texts without marks have none. */
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
    "unsubscribe?e=«jo%40example.org»&x=1, «jo&#64;example.org», «jo&commat;example.org»",
    "«jo AT example DOT org», «jo at example dot org», «jo(home)@example.org», «jo@[127.0.0.1]»",
    "«jo\u00ad@exam\u00adple.org», «𝐣𝐨@𝐞𝐱𝐚𝐦𝐩𝐥𝐞.𝐨𝐫𝐠», «jo@bücher。example», «jo@sub_domain.example.org»",
    "«bounces+1234567-0a1b2c3d4e5f60718293a4b5c6d7e8f9-alice.liddell=example.org@mail.example.net»",
    "«jo=40example.org», &lt;«jo&#064;example.org»&gt;, «jo@example&#46;org», «jo <at> example <dot> org»",
    "10 at home dot com, 3 at 5 dot 2, git@example.org:a/b.git, react@18.2.0",
    "look at example.org, meet at dot",
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
    "«+𝟒𝟗 𝟏𝟕𝟏 𝟐𝟑𝟒𝟓𝟔𝟕𝟖», «+৪৯ ১৭১ ২৩৪৫৬৭৮», «+4\ufe0f\u20e39\ufe0f\u20e3 171 2345678», «⁺49·171·2345678»",
    "T«+49 89 123456», x «%2B491712345678», wa.me/«491712345678», «+49 171\t2345678», phone_number: «5551234»",
    "«+1 555 123 4567x89» «555-123-4567 ext. 89», «+49 171 2345678»abc",
    "write to «+49 171\n2345678» or «+49 171-\n> 2345678» or «0171\r\n2345678» or «(555)\n234-4567».",
    "«+49 171 2345678»\n«+49 171 9876543»\n«0171 2345678»\n«0171 9876543»",
    "Ann,«0171 2345678»,12\nBob,«0171 9876543»,«555-234-4567»",
    '{"tel":"«1712345678»"}, phone: "«555 1234»"',
    "«8 (495) 123-45-67», «0 532 123 45 67», «(11) 91234-5678», «98765 43210», «138 0013 8000», «13800138000»",
    "«555 - 123 - 4567», «1(555)123-4567», «01/58858-0», «011 44 20 7946 0958», «01 23 45 67 89» «06 12 34 56 78»",
    "«+49&nbsp;171&nbsp;2345678», «&#43;49 171 2345678»",
    "Tel.:\n«58858-0», Ph: «555 1234», тел. «123-45-67», 电话：«62345678», Phone (home): «555 1234», T: «5551234»",
    "TEL;TYPE=work,voice:«5551234567», my number is «5551234567», call me at «5551234»",
    "ISBN 0306406152, order no. 0012345678, Kundennummer 0123456789, Boston, MA 02110-1301",
    "call 2023-2024, cell 12345",
    "at 10:30, 0 of 12345678; from 1,0 to 2,0; 12 0345\n123 items; page 01\n1234567",
    "on 2024-01-31 at 10:30:15, from 01.02.2024 10 to 02.02.2024 11",
    "2024-01-31T10:30:15.123Z, 1706697015123, 00001000, 0.0123456789",
    "EUR 1.234.567,89; 100-2000; pages 12-15; version 10.11.12.13; 192.168.100.200",
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6, ISBN 978-3-16-148410-0, #1234567890",
  ],
  card: [
    "«4111 1111 1111 1111», «5500-0000-0000-0004», «378282246310005», «6011111111111117»",
    "card «4111111111111111».",
    "«4111 1111 1111 1111» 12/27 123, Qty 2 «4111 1111 1111 1111», 05 «4111111111111111», «4111-1111-1111-1111»-12",
    "Ann,«4111111111111111»,12/27\n«4111\n1111 1111 1111», «4111.1111.1111.1111», «4111\u200b1111\u00ad11111111»",
    "«3782 822463 10005», «3056 930902 5904» 1234 5678 9012 3456 7890",
    "«4111 1111 1111\n> 1111», «4111_1111_1111_1111», «4111 - 1111 - 1111 - 1111», «4111&nbsp;1111&nbsp;1111&nbsp;1111»",
    "4111 1111 1111 1112, 1234567890123456, 1706697015123, 41111111111111111111, 0.4111111111111111",
  ],
  iban: [
    "IBAN «DE89 3704 0044 0532 0130 00» BIC COBADEFF",
    "«gb82west12345698765432», «NL91-ABNA-0417-1643-00», «NO93 8601 1117 947»",
    "«DE89\n3704 0044 0532 0130 00», «DE89\u00a03704\t0044\u202f0532  0130 00», «DE 89.3704.0044.0532.0130.00»",
    "«DE89 3704 0044 0532\n> 0130 00», «DE89_3704/0044_0532_0130_00», IBAN«DE89370400440532013000»",
    "DE89 3704 0044 0532 0130 01, GB82 WEST, AB12 3456, DE89370400440532013000X",
  ],
  national_id: [
    "SSN «123-45-6789», NINO «QQ123456C», «ab 12 34 56 c»".replace("QQ123456C", "AB123456C"),
    "Steuer-ID «86095742719», «86 095 742 719»; SV «65 070649 C 103»; AHV «756.9217.0769.85»",
    "DNI «12345678Z», NIE «X1234567L», CF «RSSMRA85T10A562S», CPF «529.982.247-25»",
    "NIR «2 55 08 14 168 025 38», PESEL «44051401359», «811228-9874», «11010519491231002X»",
    "SSN: «123456789», BSN «111222333», passport no. «C01X00T47»",
    "«131052-308T», «8001015009087», «900101-1234567», «ABCPE1234F», «HEGG560427MVZRRL04», DNI «12.345.678-Z»",
    "My passport no. «C01X00T47» and the rest, NINO «AB 12 34 56 C» in ink, Aadhaar «2345 6789 0124»",
    "sin 100000 euros, nie 123456, passport photos 35x45 mm, passport renewal in 2024",
    "000-12-3456, 666-12-3456, 12345678901, 12345678A, 529.982.247-26, 2017-02-28, 20170228154907",
  ],
  address: [
    "at «221B Baker Street, London NW1 6XE»; «1600 Pennsylvania Avenue, Washington, DC 20500»",
    "«Lindenstraße 5a, 10969 Berlin», «Hauptstr. 12», «Keizersgracht 123», «Karl-Marx-Allee 3»",
    "«12 bis, rue de la Paix, 75002 Paris», «Calle Mayor 3», «Via Roma 12», «P.O. Box 123»",
    "«LINDENSTRASSE 5», «Lindenstr.5», «Lindenstrasse Nr. 5», «Lindenstraße\n5», «Rua das Flores 12», «Am Markt 5»",
    "«12 Main St\nSpringfield, IL 62704», «12 George St, Sydney NSW 2000», «ul. Marszałkowska 12», «ул. Тверская, д. 7»",
    "«〒100-0001», «東京都千代田区千代田1-1», «北京市朝阳区建国路93号»，三月5号",
    "auf Platz 12, er belegte Platz 3, im Ring 2, am Damm 2, Weg 3",
    "3 ways to go, 5 Street Fighters, on the road 2 times, 10 places, the street, Platz da",
  ],
  secret: [
    "«AKIAIOSFODNN7EXAMPLE» «ghp_0123456789abcdefghijABCDEFGHIJ012345» «sk-abcdefghijklmnopqrstuvwx»",
    'password: «hunter2», Passwort ist «geheim123», PIN = «1234», "api_key": "«a b c»"',
    'password:\n«hunter2»\nYour password is:\n\n«hunter2», pw: «hunter2», password -> «hunter2», password: "«hunter2»',
    "Your code is «123456». «G-123456» is your Google verification code. OTP «123456», PIN «1234»",
    "zip code 12345, error code 4041, code 12, barcode 123456, Password:\nUsername: jo",
    "https://jo:«pa55»@example.org/x, Authorization: Bearer «abcdefghijklmnop.qrs»",
    "x «-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAAAA\n-----END RSA PRIVATE KEY-----» y",
    "x «-----BEGIN PRIVATE KEY-----\nMIIE\nAAAA\n»",
    "password is &quot;«test»&quot;, пароль: «qwerty1», 密码：«abc12345», mdp : «azerty123», PGPASSWORD=«hunter2»",
    "password «hunter2», the password for the door is «geheim7», SECRET_KEY='«abc123»', CVC: «123», use «482913» to sign in",
    "My password: «correct horse battery staple»\nSeed phrase: «abandon ability able about»\n",
    "https://hooks.slack.com/services/«T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX», Authorization: Basic «dXNlcjpwYXNz»",
    "The pin is mightier, a new token is generated, error code: see docs, the code 2024, password: ********, Afghanistan: der Staat",
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

test("R82 the name of a member says what its value is", () => {
  const mask = createMasker({ kinds: ["phone", "secret", "national_id"] }, () => "");
  const masked = (value: unknown) => maskValue(value, mask);
  assert.deepEqual(
    masked({
      phones: [{ number: "555 1234 (home)", label: "home" }, "4711"],
      mobilePhone: 1712345678,
      wifi_password: "correct horse",
      apiKey: "abc",
      token_count: 512,
      number: "555 1234",
      note: "phone",
      passport_number: "C01X00T47",
      ssn: 123456789,
    }),
    {
      phones: [{ number: "[phone-] (home)", label: "home" }, "[phone-]"],
      mobilePhone: "[phone-]",
      wifi_password: "[secret-]",
      apiKey: "[secret-]",
      token_count: 512,
      number: "555 1234",
      note: "phone",
      passport_number: "[id-]",
      ssn: "[id-]",
    },
  );
});

test("R82 a quoted-printable line break hides no value", () => {
  const mask = createMasker({ kinds: ["email", "phone"], words: ["falcon"] }, () => "");
  const filler = "x ".repeat(34);
  for (const [broken, kind] of [
    ["jo@exam=\r\nple.org", "email"],
    ["+49 171 23=\n45678", "phone"],
    ["fal=\ncon", "word"],
  ])
    assert.equal(mask(`${filler}${broken} y`), `${filler}[${kind}-] y`);
  assert.equal(mask("a =\nb"), "a =\nb");
});

test("R82 own words are found in other forms of their characters", () => {
  const mask = createMasker({ words: ["falcon", "Straße 7"], expressions: ["CASE-\\d+"] }, () => "");
  for (const text of [
    "fal\u00adcon",
    "ｆａｌｃｏｎ",
    "fa\u034flcon",
    "𝐟𝐚𝐥𝐜𝐨𝐧",
    "STRASSE 7",
    "straße\n7",
    "CASE-\u00ad12",
    "ＣＡＳＥ－１２",
    "CASE–12",
  ])
    assert.equal(mask(`« ${text}\u{1f985}ﬁn`), "« [word-]\u{1f985}ﬁn", text);
});

test("R82 masks exact ranges, even if folding changes lengths", () => {
  const mask = createMasker({ words: ["x"] }, () => "");
  const noise = ["ﷺ ", "\u{1d7ce} ", "ﬁ ", "\u200b", "é ", "㎏ ", "\ufeff\ufeff"];
  const edges = fc.array(fc.constantFrom(...noise), { maxLength: 6 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(edges, edges, (before, after) => {
      assert.equal(
        mask(`${before}|x|${after}|\u{1d431}|${before}`),
        `${before}|[word-]|${after}|[word-]|${before}`,
      );
    }),
  );
});

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
  // The CPU time of the fastest run: other processes and the garbage collector only add to it.
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
    "password:\n",
    "+4\n",
    "(a)@",
    "1234\n",
    "DE89 ",
    "code 123 ",
    "a at b dot ",
    "\u200bé",
    "٣",
    "x\u00ad",
    "\u200b",
    "u\u0308",
    "路",
    "区1-",
    "&nbsp;",
    "password for x ",
    "ssn ",
  ]) {
    const short = unit.repeat(Math.ceil(20_000 / unit.length));
    const ratio = cost(short.repeat(10)) / Math.max(1_000, cost(short));
    // Quadratic work takes a hundred times as long.
    assert.ok(ratio < 50, `${unit}: ${ratio}`);
  }
});
