/** A mailbox whose texts are hard on hosts: long, dense, escaped, with files. */

/** One mail, and the words that find it. */
export interface Sample {
  readonly name: string;
  readonly query: string;
  /** A piece of the body that the query finds. */
  readonly found: string;
  readonly subject: string;
  readonly body: string;
  /** The text of its first file. */
  readonly file: string;
}

/** A red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

const mixedLine = (at: number) =>
  `${at}. She said: "the C:\\temp\\${at} file\tis <b>late</b>" — naïve café 🏔️👩‍👩‍👧 {"a": [1, "\\n"]} ${at * 37}.`;
const cjkLine = (at: number) =>
  `第${at}項 会議の資料は明日までに東京の事務所へ送ってください。請確認附件，谢谢。🍵`;
const bury = (lines: string[], text: string) => lines.with(Math.floor(lines.length * 0.6), text);

export const samples: readonly Sample[] = [
  {
    name: "mixed",
    query: "kestrel nest",
    found: 'the "kestrel nest" is above the 3rd \\ window',
    subject: 'Mixed "text" with \\ escapes 🏔️',
    body: [
      ...bury(
        Array.from({ length: 180 }, (_, at) => mixedLine(at)),
        'At last: the "kestrel nest" is above the 3rd \\ window 🐦.',
      ),
      "x".repeat(20_000),
      "The end.",
    ].join("\n"),
    file: ["name,amount", ...Array.from({ length: 150 }, (_, at) => `"row ""${at}""",${at * 3}`)].join("\n"),
  },
  {
    name: "CJK",
    query: "赤い隼の巣",
    found: "赤い隼の巣は三階の窓の上にあります",
    subject: "会議の資料と隼の巣について 🍵",
    body: bury(
      Array.from({ length: 650 }, (_, at) => cjkLine(at)),
      "最後に、赤い隼の巣は三階の窓の上にあります。",
    ).join("\n"),
    file: ["名前,金額", ...Array.from({ length: 150 }, (_, at) => `"項目「${at}」",${at * 3}`)].join("\n"),
  },
];

/** The mailbox, as an mbox file. */
export function writeMailbox(): string {
  return samples.map(writeMail).join("");
}

function writeMail({ subject, body, file }: Sample, number: number): string {
  const mime = [
    part("Content-Type: text/plain; charset=utf-8", body),
    part('Content-Type: text/csv; charset=utf-8; name="rows.csv"', file, "rows.csv"),
    part('Content-Type: image/png; name="dot.png"', Buffer.from(PNG, "base64"), "dot.png"),
  ];
  return [
    "From sender@example.org Mon Jun  1 10:00:00 2026",
    `Message-ID: <ladder-${number}@example.org>`,
    "From: Sender <sender@example.org>",
    "To: Reader <reader@example.org>",
    `Subject: =?utf-8?B?${Buffer.from(subject).toString("base64")}?=`,
    `Date: Mon, 01 Jun 2026 1${number}:00:00 +0000`,
    "MIME-Version: 1.0",
    "Content-Type: multipart/mixed; boundary=ladder",
    "",
    ...mime.flatMap((each) => ["--ladder", ...each]),
    "--ladder--",
    "",
    "",
  ].join("\n");
}

function part(type: string, content: string | Buffer, filename?: string): string[] {
  return [
    type,
    "Content-Transfer-Encoding: base64",
    ...(filename === undefined ? [] : [`Content-Disposition: attachment; filename="${filename}"`]),
    "",
    ...(Buffer.from(content)
      .toString("base64")
      .match(/.{1,76}/g) ?? []),
  ];
}
