/**
 * Writes the figures to `docs/figures.md`: each part has a section between two marks, with its date and machine,
 * and a run replaces the sections of the parts that it measured.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { describePostgres } from "../testing/postgres.ts";

const FILE = fileURLToPath(new URL("../docs/figures.md", import.meta.url));

const HEAD = `# Figures

What \`npm run bench\`, \`npm run soak\` and \`npm run image\` measured. Each part carries its date and machine, and each command replaces the parts
that it measured; the text between the marks is not written by hand.
`;

let said: string[] = [];

/** Prints Markdown and adds it to the section of the part being measured. */
export function say(text: string): void {
  console.log(`\n${text}`);
  said.push(text);
}

interface FiguresOptions {
  readonly file?: string | undefined;
  /** Whether a run may measure only some of the part's tables; the others then stay. */
  readonly isPartial?: boolean;
}

/** Measures a part and writes its section. `name` is for example `bench windows`. */
export async function keepFigures(
  name: string,
  measure: () => Promise<void> | void,
  { file = FILE, isPartial = false }: FiguresOptions = {},
): Promise<void> {
  said = [];
  await measure();
  const text = existsSync(file) ? readFileSync(file, "utf8") : HEAD;
  const facts = `${new Date().toISOString().slice(0, 10)}. ${describeMachine()}`;
  const kept = isPartial ? listKept(text, name) : [];
  writeFileSync(file, replaceSection(text, name, [`## ${name}`, facts, ...said, ...kept].join("\n\n")));
}

const TABLE_TITLE = /^### ([^:\n]*)/;

/**
 * The tables of the section that this run did not measure, each with the date of its run. Titles are compared up to
 * their colon; of several tables with the same title, left by merges, the first is the newest.
 */
function listKept(text: string, name: string): string[] {
  const [open, close] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->\n`];
  const start = text.indexOf(open);
  if (start < 0) return [];
  const [head = "", ...tables] = text
    .slice(start + open.length, text.indexOf(close))
    .trim()
    .split(/\n\n(?=### )/);
  const date = /^\d{4}-\d{2}-\d{2}/m.exec(head)?.[0];
  const titleOf = (table: string) => TABLE_TITLE.exec(table)?.[1];
  const titles = [...said, ...tables].map(titleOf);
  return tables
    .filter((table, at) => titles.indexOf(titleOf(table)) === said.length + at)
    .map((table) => (/^Measured on /m.test(table) || !date ? table : `${table}\n\nMeasured on ${date}.`));
}

/** Replaces the section of that name, or appends it. */
export function replaceSection(text: string, name: string, section: string): string {
  const [open, close] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->\n`];
  const whole = `${open}${section}\n${close}`;
  const start = text.indexOf(open);
  const end = text.indexOf(close);
  if (start < 0 || end < start) return `${text}\n${whole}`;
  return `${text.slice(0, start)}${whole}${text.slice(end + close.length)}`;
}

function describeMachine(): string {
  const memory = `${(totalmem() / 1024 ** 3).toFixed(0)} GiB of memory`;
  const { platform, arch, versions } = process;
  const programs = `Node ${versions.node}, SQLite ${versions.sqlite}, PostgreSQL ${describePostgres()}`;
  return `${availableParallelism()} cores, ${memory}, ${platform} ${arch}; ${programs}.`;
}
