import assert from "node:assert/strict";
import { test } from "node:test";
import { readAll } from "../read-all.test.ts";
import { evernote } from "./evernote.ts";

const note = (title: string, body: string, more = "") =>
  `<note><title>${title}</title><created>20240301T100000Z</created><updated>20240302T110000Z</updated>${more}` +
  `<content><![CDATA[<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note>${body}</en-note>]]></content></note>`;

const resource =
  '<resource><data encoding="base64">\nSGVsbG8g\nZmlsZQ==\n</data><mime>text/plain</mime><resource-attributes><file-name>a.txt</file-name></resource-attributes></resource>';

const wrap = (...notes: readonly string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">\n<en-export export-date="20240401T000000Z" application="Evernote">${notes.join("")}</en-export>`;

const FILE = wrap(
  note(
    "Tea &amp; 茶 😀",
    '<div>One</div><div><en-todo checked="true"/>milk</div><div><en-todo checked="false"></en-todo>sugar</div><en-media type="image/png" hash="x"/>',
    "<tag>home</tag><tag>tea</tag><note-attributes><author>Ann</author><source-url>https://a.example/</source-url></note-attributes>",
  ),
  note("Files", "<p>See</p>", "").replace("</note>", `${resource}</note>`),
  note("Files", "<p>Again</p>"),
);

test("an ENEX file is its notes, with tags, times, check boxes and files", async () => {
  const { stream, rejected } = await readAll(evernote, { "Home.enex": FILE });
  assert.deepEqual(rejected, []);
  const [first, second, third] = [...stream("notes").values()];
  assert.deepEqual(
    { ...first, id: undefined },
    {
      id: undefined,
      title: "Tea & 茶 😀",
      text: "One\n[x] milk\n[ ] sugar",
      tags: ["home", "tea"],
      author: "Ann",
      notebook: "Home",
      source_url: "https://a.example/",
      created_at: "2024-03-01T10:00:00.000Z",
      updated_at: "2024-03-02T11:00:00.000Z",
      attachment_count: 0,
    },
  );
  assert.equal(third?.text, "Again");
  const [file] = stream("attachments").values();
  assert.deepEqual(
    [file?.note_record_id, file?.file_name, file?.mime_type, file?.text],
    [second?.id, "a.txt", "text/plain", "Hello file"],
  );
});

test("reading resumes after every checkpoint; a file that is cut off says where", async () => {
  const whole = await readAll(evernote, { "Home.enex": FILE });
  for (const [at, { checkpoint }] of whole.items.entries()) {
    if (checkpoint === undefined) continue;
    const rest = await readAll(evernote, { "Home.enex": FILE }, checkpoint);
    assert.deepEqual(rest.items, whole.items.slice(at + 1));
  }
  const empty = await readAll(evernote, { "Home.enex": wrap() });
  assert.deepEqual(
    empty.rejected.map(({ reason }) => reason),
    ["It has no notes."],
  );
  const deep = await readAll(evernote, { "Home.enex": wrap(note("a", "b"), "<a>".repeat(5_000)) });
  assert.equal(deep.stream("notes").size, 1);
  assert.match(deep.rejected[0]?.reason ?? "", /^What follows note 1 cannot be read: Its XML/);
});
