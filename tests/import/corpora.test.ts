/** Real files from other projects, where available: each imports or says why not, and a second import is a no-op. */
import assert from "node:assert/strict";
import { existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { rungsHere } from "../../testing/cli/in-process.ts";

const CORPORA = fileURLToPath(new URL("../../../shared/corpora/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "rungs-corpora-"));
after(() => rmSync(folder, { recursive: true }));

/** Expected numbers of records by stream, for some of them. */
const counts: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "slack/testarchive.zip": { channels: 2, messages: 158 },
  "chatgpt/chatgpt-export.json": { conversations: 2, messages: 21 },
  "chatgpt/chatgpt-tree.json": { conversations: 1, messages: 12 },
  "mime/mimekit/**/content-length.mbox.txt": { messages: 29 },
  "mime/mimekit/**/issue1189.mbox.txt": { messages: 4 },
  "mime/mailparser": {},
  "mime/enmime": {},
  "mime/php-mail-mime-parser": {},
  "mime/ruby-mail": {},
  "mail-misc-tika": {},
  pdf: { documents: 26 },
  vcard: { contacts: 10 },
  calendars: { events: 10 },
};

interface Imported {
  readonly added: number;
  readonly changed: number;
  readonly rejected: number;
  readonly rejections: readonly { readonly place: string; readonly message: string }[];
}

interface Connected {
  readonly connection_id: string;
  readonly streams: readonly { readonly stream: string; readonly record_count: number }[];
}

suite("real exports", { skip: !existsSync(CORPORA) && "the corpora are not here" }, () => {
  for (const [pattern, expected] of Object.entries(counts)) {
    test(`${pattern} imports, and a second import changes nothing`, async () => {
      const [path = ""] = globSync(pattern, { cwd: CORPORA });
      const RUNGS_HOME = join(folder, basename(path));
      const bring = async (): Promise<readonly Imported[]> => {
        const { out, err } = await rungsHere(["import", join(CORPORA, path), "--json"], { RUNGS_HOME });
        assert.notEqual(out, "", err);
        const answer = JSON.parse(out);
        assert.deepEqual(answer.failures ?? [], []);
        return answer.imports ?? [answer];
      };
      const first = await bring();
      for (const { added, changed, rejections } of first) {
        assert.ok(added > 0 && changed === 0);
        for (const { place, message } of rejections)
          assert.ok(place !== "" && /^[A-Z].*\.$/s.test(message), place);
      }
      for (const [at, { added, changed, rejected }] of (await bring()).entries())
        assert.deepEqual([added, changed, rejected], [0, 0, first[at]?.rejected]);

      const { connections }: { connections: Connected[] } = JSON.parse(
        (await rungsHere(["connections", "--json"], { RUNGS_HOME })).out,
      );
      const streams = connections.flatMap((connected) => connected.streams);
      const found = streams.map(({ stream, record_count }) => [stream, record_count]);
      assert.deepEqual({ ...Object.fromEntries(found), ...expected }, Object.fromEntries(found));
    });
  }
});
