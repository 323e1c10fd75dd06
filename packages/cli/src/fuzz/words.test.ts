/** Hostile command lines: each is accepted, or refused as wrong usage in one short sentence. */
import assert from "node:assert/strict";
import { exampleManifest } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import type { Connection } from "@rungs/store";
import fc from "fast-check";
import { fuzz } from "../../../../testing/fuzz/cases.ts";
import { anyText, mangledText } from "../../../../testing/fuzz/mangled.ts";
import { UsageError } from "../command/exit.ts";
import { requireDurationMs } from "../command/option-values.ts";
import { requireAllowedScope } from "../grants/allowed-scope.ts";
import { parsePlace } from "../home/database.ts";
import { run } from "../run.ts";

const oneOf = (...texts: string[]) => fc.oneof(anyText, mangledText(fc.constantFrom(...texts)));
const connections = [
  { connection_id: "mail", source_id: exampleManifest.source.id },
] as unknown as readonly Connection[];

function understood<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    assert.ok(error instanceof UsageError || error instanceof CodedError, String(error));
    return undefined;
  }
}

const allowed = fc.array(oneOf("mail/messages:id,subject", "mail/*", "mail/labels"), { maxLength: 3 });
const records = fc.array(oneOf("mail/messages:m1", "m1", "pdpp://record/e30"), { maxLength: 2 });

fuzz(
  "--allow names a connection that is there, or is refused",
  fc.tuple(allowed, records),
  ([allow, ids]) => {
    const options = { since: undefined, until: undefined, single_use: false, purpose: undefined };
    const details = understood(() => requireAllowedScope({ ...options, allow, records: ids }, connections));
    for (const { streams } of details ?? []) {
      assert.deepEqual(
        streams?.map(({ instance_ids }) => instance_ids),
        [["mail"]],
      );
    }
  },
);

fuzz("--expires is a duration, or refused", oneOf("30d", "12h", "45m", "1w"), (text) => {
  const timeMs = understood(() => requireDurationMs(text, "expires"));
  if (timeMs !== undefined) assert.ok(Number.isSafeInteger(timeMs) && timeMs > 0);
});

fuzz("--database is a file or a server", oneOf("postgres://u:p@h/d", "sqlite:a.db", "file:///a"), (text) => {
  const place = understood(() => parsePlace(text));
  if (place?.kind === "postgres") assert.match(text, /^postgres(?:ql)?:\/\//);
});

const LINES = [
  ["grant", "create", "--client", "a", "--allow", "mail/*"],
  ["search", "tea", "--limit", "5"],
  ["read", "mail/messages:m1", "body", "--offset", "10"],
  ["import", "nowhere.mbox", "--as", "mail"],
  ["query", "messages", "--filter", "a=1", "--order", "asc"],
];
const words = fc
  .tuple(fc.constantFrom(...LINES), fc.array(fc.tuple(fc.nat(8), anyText), { minLength: 1, maxLength: 3 }))
  .map(([line, edits]) => edits.reduce((all, [at, text]) => all.toSpliced(at, 1, text), line));

fuzz(
  "a command line of any words ends with a code and says why, and never with a stack",
  words,
  async (argv) => {
    const said: string[] = [];
    const io = { out: () => undefined, err: (text: string) => void said.push(text) };
    const env = { RUNGS_HOME: "/dev/null/home", RUNGS_TOKEN: "", RUNGS_DATABASE: "/dev/null/rungs.db" };
    const code = await run(argv, { ...io, env });
    assert.ok(code >= 0 && code <= 4, `${code}`);
    if (code !== 0) assert.ok(said.length > 0, JSON.stringify(argv));
    assert.doesNotMatch(said.join("\n"), /\n +at |TypeError|RangeError|undefined/);
  },
  0.25,
);
