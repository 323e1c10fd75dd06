/** The README's transcript: the program's answers on the demo data. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHome } from "rungs/internal/database";
import { prepareDemo } from "rungs/internal/demo";
import { run } from "rungs/internal/run";

const [BEGIN, END] = ["<!-- transcript -->", "<!-- end of transcript -->"];
const QUESTION = ["search", "where is the spare key to the cellar?", "--limit", "1"];
const PHRASE = ["search", '"blue pot"', "--folded", "false"];
const WINDOW_CHARS = "400";

/** Climbs the ladder: a question, a phrase search with its evidence, the window around it, and the next window. */
export async function writeTranscript(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "rungs-transcript-"));
  try {
    const store = await openHome(home);
    const { token } = await prepareDemo(store, home);
    await store.close();
    const ask = (argv: readonly string[]) => answerOf(argv, { RUNGS_HOME: home, RUNGS_TOKEN: token });
    const answer = await ask(QUESTION);
    const found = await ask(PHRASE);
    const [, id = "", offset = ""] =
      [...found.matchAll(/read: rungs read (\S+) body --offset (\d+)/g)].at(-1) ?? [];
    const first = ["read", id, "body", "--offset", offset, "--limit", WINDOW_CHARS];
    const window = await ask(first);
    const [, cursor = ""] = /next: rungs read \S+ body --cursor (\S+)/.exec(window) ?? [];
    const second = await ask(["read", id, "body", `--cursor=${cursor}`]);
    const texts = [
      show(QUESTION, answer),
      show(PHRASE, found),
      show(first, window),
      show(["read", id, "body", "--cursor", cursor], second),
    ];
    return texts.join("\n\n").replace(/[A-Za-z0-9_-]{60,}/g, (sealed) => nameCursor(sealed, texts.join("")));
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** Replaces the transcript in the page. */
export function replaceTranscript(readme: string, transcript: string): string {
  const [before = "", after = ""] = [readme.split(BEGIN)[0], readme.split(END)[1]];
  return `${before}${BEGIN}\n\`\`\`console\n${transcript}\n\`\`\`\n${END}${after}`;
}

async function answerOf(argv: readonly string[], env: Record<string, string>): Promise<string> {
  const out: string[] = [];
  const code = await run(argv, { out: (text) => out.push(text), err: (text) => out.push(text), env });
  if (code !== 0) throw new Error(`${argv.join(" ")}: ${out.join("\n")}`);
  // This form is used when a cursor begins with a dash.
  return out.join("\n").replaceAll("--cursor=", "--cursor ");
}

/** Replaces the random id of a fence with a fixed one, so that the page does not change. */
function show(argv: readonly string[], text: string): string {
  const words = argv.map((word) => (/\s/.test(word) ? `'${word}'` : word));
  return `$ npx rungs ${words.join(" ")}\n${text.replace(/(?<=----- (?:begin|end) )\w+/g, "5f0c1d9e7a34")}`;
}

/** Cursors look random; replaces each with a short, stable name. */
function nameCursor(sealed: string, all: string): string {
  const cursors = [...new Set(all.match(/[A-Za-z0-9_-]{60,}/g))];
  return `CURSOR-${cursors.indexOf(sealed) + 1}`;
}
